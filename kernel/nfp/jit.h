/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_JIT_H
#define KERNEL_NFP_JIT_H

/* How many instructions the NFP driver's JIT makes of a program, and how much stack it takes. Called by check.c. */
#include "kernel/nfp/walk.h"

/*
 * Counts, by what each eBPF instruction becomes and by the JIT's optimizations. Only of a walk without a finding of verdict
 * NFP_REJECT or NFP_UNKNOWN. Returns the count, or 0 if there is no memory.
 */
unsigned nfp_jit__count(const struct nfp_walk *w);

/* Bytes of all frames that may be nested, as the driver rounds them. */
unsigned nfp_jit__stack_bytes(const struct nfp_walk *w);

#endif
