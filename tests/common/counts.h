/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_COUNTS_H
#define TESTS_COMMON_COUNTS_H

/*
 * Sums of the packet counters of a context (an attached handler), for live tests and the demo: every packet must be counted once. There is
 * a counter for each reason (what became of a packet, and why: handled, dropped by a handler, not matched, ...).
 */
#include <spin/libspin.h>

/*
 * Stores in packets[reason], SPIN_REASON_COUNT elements, how many packets the interface has counted with each reason, and returns their
 * sum. The context must be the interface's only one.
 */
uint64_t counts_all(const struct spin_ctx *ctx, uint64_t *packets);
/* Returns the sum of such an array. */
uint64_t counts_sum(const uint64_t *packets);
/* Returns the context's packets with this reason. */
uint64_t counts_of(const struct spin_ctx *ctx, enum spin_reason reason);

#endif
