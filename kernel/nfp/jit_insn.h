/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_JIT_INSN_H
#define KERNEL_NFP_JIT_INSN_H

/*
 * A BPF instruction after the optimizations of the NFP driver's JIT, as the model of that JIT has it: what jit_optimize.c passes to jit.c.
 */
#include "kernel/nfp/walk.h"

/* One instruction, and what the JIT makes of it. */
struct nfp_jit_insn {
	struct bpf_insn insn; /* with its constant's sign flipped if that makes it smaller */
	const struct nfp_meta *meta;
	uint8_t is_dead;                /* removed by the kernel */
	uint8_t is_merged;              /* its work is done by another instruction */
	uint8_t fills_cache;            /* loads from the packet for itself and others */
	int16_t copy_bytes;             /* bytes that it copies; negative: from the end backward; 0: no copy */
	int16_t copy_to_off;            /* offset of the store */
	int16_t cache_start, cache_end; /* offsets of the part of the packet that is in registers; end 0: none */
};

/* Returns an array with an element for each instruction, or NULL if there is no memory. The caller frees it. */
struct nfp_jit_insn *nfp_jit__optimize(const struct nfp_walk *w);

#endif
