/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_COUNTS_H
#define TESTS_COMMON_COUNTS_H

/* Sums of the packet counters of a context (an attached handler), for live tests and the demo: every packet must be counted once. */
#include <spin/libspin.h>

/* Stores all packets that the interface saw, by reason, and returns their sum. The context must be the interface's only one. */
uint64_t counts_all(const struct spin_ctx *ctx, uint64_t *packets);
uint64_t counts_sum(const uint64_t *packets);
/* Returns the context's packets with this reason. */
uint64_t counts_of(const struct spin_ctx *ctx, enum spin_reason reason);

#endif
