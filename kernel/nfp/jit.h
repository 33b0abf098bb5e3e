/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_JIT_H
#define KERNEL_NFP_JIT_H

/* How many instructions the NFP driver's JIT generates for a program, and how much stack it uses. Called by check.c. */
#include "kernel/nfp/walk.h"

/*
 * Counts the card's instructions, from the cost of each eBPF instruction and the JIT's optimizations. The walk must have no finding of
 * verdict NFP_REJECT or NFP_UNKNOWN. Returns the count, or 0 if there is no memory.
 */
unsigned nfp_jit__count(const struct nfp_walk *w);

/* Bytes of all frames that may be nested, rounded as the driver does. */
unsigned nfp_jit__stack_bytes(const struct nfp_walk *w);

#endif
