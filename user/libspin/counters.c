/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "internal.h"

void spin_ctx__counters(const struct spin_ctx *ctx, uint64_t *packets)
{
	for (unsigned r = 0; r < SPIN_REASON_COUNT; r++)
		packets[r] = 0;
	for (unsigned hpu = 0; hpu < SPIN_HPUS_MAX; hpu++)
		for (unsigned r = 0; r < SPIN_REASON_COUNT; r++)
			packets[r] += __atomic_load_n(&ctx->counters[hpu].packets[r], __ATOMIC_RELAXED);
}
