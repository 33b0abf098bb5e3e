/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_LIVENESS_H
#define KERNEL_NFP_LIVENESS_H

/* Where jumps of a program go, and which registers its instructions still need. */
#include "kernel/nfp/object.h"

/* The instruction that a jump or a call of a function may go to; -1: it is neither. May lie outside of the program. */
int64_t nfp_insn__target(const struct nfp_code *code, uint32_t insn);

/* Fills live[] with bits of registers 0 to 9 that are read before they are written, from each instruction on. */
void nfp_liveness__find(const struct nfp_code *code, uint16_t *live);

#endif
