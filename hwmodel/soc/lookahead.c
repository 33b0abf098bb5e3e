/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Computes how far the running core may run ahead of the other simulated cores (lookahead.h). Called by soc.c at each core's turn, and by
 * every component through which one HPU can affect another. Invariant: no shared state is read or written later than soc->lookahead (the
 * cluster's own L1: soc->lookahead_l1).
 */
#include "hwmodel/soc/lookahead.h"

/* Shrinks the bounds of the running core to these cycles. Afterwards another core or an event may touch shared state. */
static void shrink_bounds(struct soc *soc, uint64_t cycle, uint64_t cycle_l1)
{
	if (soc->lookahead > cycle)
		soc->lookahead = cycle;
	if (soc->lookahead_l1 <= cycle_l1)
		return;
	soc->lookahead_l1 = cycle_l1;
	if (soc->alone_in_l1)
		rv32_core__share(soc->turn->core, cycle_l1 + 1);
}

void soc__share_l1(struct soc *soc)
{
	if (!soc->turn)
		return;
	soc->alone_in_l1 = 0;
	rv32_core__share(soc->turn->core, 0);
}

void soc__limit_lookahead(struct soc *soc)
{
	uint64_t next = events__next(&soc->events);

	if (soc->turn && next != UINT64_MAX)
		shrink_bounds(soc, next - 1, next - 1);
}

void soc__wake(struct soc *soc, struct hpu *hpu, uint64_t cycle)
{
	tournament__set(&soc->order, hpu->number, cycle);
	if (soc->turn && soc->turn != hpu) {
		uint64_t before = cycle - (hpu->number < soc->turn->number);

		if (hpu->cluster == soc->turn->cluster && soc->next_in_cluster > cycle)
			soc->next_in_cluster = cycle;
		shrink_bounds(soc, before, hpu->cluster == soc->turn->cluster ? before : before + soc->target->remote_reach - 1);
	}
}

/*
 * The own L1 is used only by HPUs of the cluster, by events (copies, accesses that arrive from other clusters), and by later actions of
 * other HPUs, which take remote_reach cycles to get here. An access that has waited is repeated once, to take its grant.
 */
void soc__begin_turn(struct soc *soc, const struct hpu *hpu, uint64_t until, int l1_is_quiet)
{
	uint64_t in_cluster, elsewhere, bound_l1, reach;

	tournament__others(&soc->order, hpu->number, soc->stride_bits, &in_cluster, &elsewhere);
	soc->next_in_cluster = tournament__cycle(in_cluster);
	soc->alone_in_l1 = in_cluster == TOURNAMENT_NEVER && !hpu->grant && l1_is_quiet;
	in_cluster = tournament__before(in_cluster, hpu->number);
	elsewhere = tournament__before(elsewhere, hpu->number);
	reach = elsewhere == TOURNAMENT_NEVER ? elsewhere : elsewhere + soc->target->remote_reach - 1;
	bound_l1 = in_cluster < reach ? in_cluster : reach;
	soc->lookahead = in_cluster < elsewhere ? in_cluster : elsewhere;
	soc->lookahead_l1 = bound_l1;
	shrink_bounds(soc, until, until); /* the caller may add anything after that cycle */
	soc__limit_lookahead(soc);
	rv32_core__share(hpu->core, !soc->alone_in_l1 ? 0 : soc->lookahead_l1 == UINT64_MAX ? UINT64_MAX : soc->lookahead_l1 + 1);
}

int lookahead__allows(struct hpu *hpu, uint64_t cycle)
{
	if (cycle > hpu->soc->lookahead) {
		hpu->blocked_until = cycle;
		return 0;
	}
	hpu->soc->now = cycle;
	return 1;
}

int lookahead__allows_l1(struct hpu *hpu, uint64_t cycle)
{
	if (cycle > hpu->soc->lookahead_l1) {
		hpu->blocked_until = cycle;
		return 0;
	}
	return 1;
}

void soc__grant(struct hpu *hpu, uint64_t late, uint64_t cycle)
{
	hpu->wait_cycles = late;
	hpu->grant = 1;
	hpu->pending = 0;
	soc__wake(hpu->soc, hpu, cycle);
}
