/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_SCALAR_H
#define KERNEL_NFP_SCALAR_H

/*
 * What the kernel's verifier knows about a number: its known bits and its bounds, for all 64 and for the low 32 bits. Called by walk.c and
 * its parts. The NFP driver asks for exactly that (a factor below 2^32, a constant divisor), so each operation here must know exactly as
 * much as the verifier of the given kernel. Functions whose result differs between 6.1 and 6.12 take the kernel.
 */
#include "kernel/nfp/scalar_type.h"
#include "kernel/nfp/verdict.h"

void nfp_scalar__set(struct nfp_scalar *s, uint64_t value);
void nfp_scalar__mark_unknown(struct nfp_scalar *s);
int nfp_scalar__is_constant(const struct nfp_scalar *s);
int nfp_scalar__is_constant32(const struct nfp_scalar *s);

/* Keeps what a load of `bytes` (1 to 8) leaves. */
void nfp_scalar__truncate(enum nfp_kernel kernel, struct nfp_scalar *s, unsigned bytes);
/* Keeps what a move of the low half leaves. */
void nfp_scalar__truncate32(enum nfp_kernel kernel, struct nfp_scalar *s);

/* d = d OP s; `op` is BPF_OP() of an ALU instruction that is not MOV, END or NEG. */
void nfp_scalar__alu(enum nfp_kernel kernel, int op, int is_64, struct nfp_scalar *d, const struct nfp_scalar *s);

/* Returns 1 or 0 if the jump is always or never taken; -1 if unknown. `op` is BPF_OP() of a conditional jump. */
int nfp_scalar__taken(int op, int is_64, const struct nfp_scalar *a, const struct nfp_scalar *b);
/* Narrows a and b by the result `taken` of the comparison. */
void nfp_scalar__refine(enum nfp_kernel kernel, int op, int is_64, int taken, struct nfp_scalar *a, struct nfp_scalar *b);

/* Returns 1 if every number in `inner` is also in `outer`. */
int nfp_scalar__contains(const struct nfp_scalar *outer, const struct nfp_scalar *inner);

#endif
