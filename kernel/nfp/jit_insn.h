/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_JIT_INSN_H
#define KERNEL_NFP_JIT_INSN_H

/* An instruction as the JIT's optimizations leave it: what jit_optimize.c passes to jit.c. */
#include "kernel/nfp/walk.h"

struct nfp_jit_insn {
	struct bpf_insn insn; /* with its constant's sign turned, where that makes it smaller */
	const struct nfp_meta *meta;
	uint8_t is_dead;                /* the kernel has removed it */
	uint8_t is_merged;              /* another does its work */
	uint8_t fills_cache;            /* loads what it and others read of the packet */
	int16_t copy_bytes;             /* it copies so many; negative: from the end on; 0: no copy */
	int16_t copy_to_off;            /* offset of the store */
	int16_t cache_start, cache_end; /* offsets of the packet's part in registers; end 0: none */
};

/* One for each instruction, or NULL if there is no memory. The caller frees them. */
struct nfp_jit_insn *nfp_jit__optimize(const struct nfp_walk *w);

#endif
