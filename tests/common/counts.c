/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Adds up the packet counters of a context (an attached handler) and of its interface, over all reasons (what became of a packet: handled,
 * dropped, not matched, ...). Used by live tests and the demo, to check that every packet was counted once.
 */
#include "tests/common/counts.h"

uint64_t counts_sum(const uint64_t *packets)
{
	uint64_t sum = 0;

	for (int i = 0; i < SPIN_REASON_COUNT; i++)
		sum += packets[i];
	return sum;
}

uint64_t counts_all(const struct spin_ctx *ctx, uint64_t *packets)
{
	uint64_t others[SPIN_REASON_COUNT] = { 0 };

	spin_ctx__counters(ctx, packets);
	if (spin_ctx__nic(ctx))
		spin_nic__counters(spin_ctx__nic(ctx), others);
	for (int i = 0; i < SPIN_REASON_COUNT; i++)
		packets[i] += others[i];
	return counts_sum(packets);
}

uint64_t counts_of(const struct spin_ctx *ctx, enum spin_reason reason)
{
	uint64_t packets[SPIN_REASON_COUNT];

	spin_ctx__counters(ctx, packets);
	return packets[reason];
}
