/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_LIVENESS_H
#define KERNEL_NFP_LIVENESS_H

/* Targets of jumps in a BPF program, and the registers that are live at each instruction. Called by walk.c and jit_optimize.c. */
#include "kernel/nfp/object.h"

/* Returns the target of a jump or of a call of a function; -1 if the instruction is neither. The target may be outside the program. */
int64_t nfp_insn__target(const struct nfp_code *code, uint32_t insn);

/* Sets live[i] to the bits of the registers 0 to 9 that are read before they are written from instruction i on. */
void nfp_liveness__find(const struct nfp_code *code, uint16_t *live);

#endif
