/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Accesses to another cluster's L1 on their way: through its incoming port, in order, to the bank, where the port is one
 * more requester (pspin_load.md 4). Whoever stands first in the port holds up the others.
 */
#include "l1.h"
#include "soc.h"

/* What an event carries: the place, the kind and when the HPU asked. */
#define OFFSET_BITS 22
#define KIND_BITS 3
#define CLUSTER_BITS 6
_Static_assert(1u << OFFSET_BITS == L1_STRIDE && L1_CLUSTERS_MAX <= 1u << CLUSTER_BITS, "an access fits");

static uint64_t pack(unsigned cluster, uint32_t offset, enum rv32_access kind)
{
	return ((uint64_t)cluster << KIND_BITS | kind) << OFFSET_BITS | offset;
}

static struct l1 *l1_of(struct hpu *hpu, uint64_t what)
{
	return hpu->soc->l1[what >> (OFFSET_BITS + KIND_BITS)];
}

static enum rv32_access kind_of(uint64_t what)
{
	return what >> OFFSET_BITS & ((1u << KIND_BITS) - 1);
}

static void reach_bank(void *arg, uint64_t cycle, uint64_t what)
{
	struct hpu *hpu = arg;
	struct l1 *l1 = l1_of(hpu, what);
	uint64_t head = l1__head(l1);

	if (head > cycle) {
		events__add(&hpu->soc->events, head, reach_bank, hpu, what);
		return;
	}
	hpu->late = l1__remote(l1, cycle, what & (L1_STRIDE - 1), kind_of(what)) - hpu->late;
	hpu->granted = 1;
	hpu->away = 0;
	soc__wake(hpu->soc, hpu, cycle);
}

static void reach_port(void *arg, uint64_t cycle, uint64_t what)
{
	struct hpu *hpu = arg;
	uint64_t at = l1__incoming(l1_of(hpu, what), cycle, kind_of(what));

	hpu->late = cycle;
	if (at > cycle)
		events__add(&hpu->soc->events, at, reach_bank, hpu, what);
	else
		reach_bank(hpu, cycle, what);
}

void remote__ask(struct hpu *hpu, uint64_t cycle, unsigned cluster, uint32_t offset, enum rv32_access kind)
{
	hpu->away = 1;
	events__add(&hpu->soc->events, cycle + hpu->target->remote_reach, reach_port, hpu, pack(cluster, offset, kind));
}
