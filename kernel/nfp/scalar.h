/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_SCALAR_H
#define KERNEL_NFP_SCALAR_H

/*
 * What the kernel's verifier knows of a number: which bits, and between which bounds, of all 64 and of the low 32 bits.
 * The driver asks for exactly that (a factor below 2^32, a constant divisor), so each operation here must know as much
 * as the verifier of the kernel in question, neither less nor more. Where 6.1 and 6.12 differ, functions take the kernel.
 */
#include "kernel/nfp/scalar_type.h"
#include "kernel/nfp/verdict.h"

void nfp_scalar__set(struct nfp_scalar *s, uint64_t value);
void nfp_scalar__forget(struct nfp_scalar *s);
int nfp_scalar__is_constant(const struct nfp_scalar *s);
int nfp_scalar__is_constant32(const struct nfp_scalar *s);

/* What a load of `bytes` (1 to 8) leaves of it. */
void nfp_scalar__cut(enum nfp_kernel kernel, struct nfp_scalar *s, unsigned bytes);
/* What a move of the low half leaves of it. */
void nfp_scalar__cut32(enum nfp_kernel kernel, struct nfp_scalar *s);

/* d = d OP s; `op` is BPF_OP() of an ALU instruction that is not MOV, END or NEG. */
void nfp_scalar__alu(enum nfp_kernel kernel, int op, int is_64, struct nfp_scalar *d, const struct nfp_scalar *s);

/* 1 or 0: the jump is always or never taken; -1: not known. `op` is BPF_OP() of a conditional jump. */
int nfp_scalar__taken(int op, int is_64, const struct nfp_scalar *a, const struct nfp_scalar *b);
/* What holds of a and b if the comparison came out as `taken`. */
void nfp_scalar__refine(enum nfp_kernel kernel, int op, int is_64, int taken, struct nfp_scalar *a, struct nfp_scalar *b);

/* 1 if every number of `inner` is one of `outer`. */
int nfp_scalar__contains(const struct nfp_scalar *outer, const struct nfp_scalar *inner);

#endif
