/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "user/libspin/internal.h"
#include "kernel/cpus.h"
#include "user/libspin/root.h"

void counters__add(const struct spin_counters *counters, uint32_t hpus, uint64_t *packets)
{
	uint32_t cpus = (uint32_t)kernel_cpus__possible(); /* kept there; at most SPIN_HPUS_MAX, see spin_ctx__create() */

	/* a context may tell its handlers of fewer than there are */
	for (uint32_t hpu = 0; hpu < (hpus > cpus ? hpus : cpus); hpu++)
		for (unsigned r = 0; r < SPIN_REASON_COUNT; r++)
			packets[r] += __atomic_load_n(&counters[hpu].packets[r], __ATOMIC_RELAXED);
}

void spin_ctx__counters(const struct spin_ctx *ctx, uint64_t *packets)
{
	memset(packets, 0, SPIN_REASON_COUNT * sizeof(*packets));
	counters__add(ctx->counters, ctx->num_hpus, packets);
}

void spin_nic__counters(const struct spin_nic *nic, uint64_t *packets)
{
	struct root *root = __atomic_load_n(&nic->root, __ATOMIC_ACQUIRE);

	memset(packets, 0, SPIN_REASON_COUNT * sizeof(*packets));
	if (root)
		counters__add(root__counters(root), 0, packets);
}
