/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Computes how far the running core may run ahead of the others; see lookahead.h. Called by soc.c at each core's turn, and by every
 * component through which one HPU can affect another. Invariant: no shared state is read or written later than soc->lookahead (the
 * cluster's own L1: soc->lookahead_l1).
 */
#include "hwmodel/soc/lookahead.h"

/* Shrinks the bounds of the running core: another core or an event may touch shared state after these cycles. */
static void limit(struct soc *soc, uint64_t horizon, uint64_t near)
{
	if (soc->lookahead > horizon)
		soc->lookahead = horizon;
	if (soc->lookahead_l1 <= near)
		return;
	soc->lookahead_l1 = near;
	if (soc->alone_in_l1)
		rv32_core__share(soc->turn->core, near + 1);
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
		limit(soc, next - 1, next - 1);
}

void soc__wake(struct soc *soc, struct hpu *hpu, uint64_t cycle)
{
	tournament__set(&soc->order, hpu->number, cycle);
	if (soc->turn && soc->turn != hpu) {
		uint64_t before = cycle - (hpu->number < soc->turn->number);

		if (hpu->cluster == soc->turn->cluster && soc->next_in_cluster > cycle)
			soc->next_in_cluster = cycle;
		limit(soc, before, hpu->cluster == soc->turn->cluster ? before : before + soc->target->remote_reach - 1);
	}
}

/*
 * The own L1 is used only by HPUs of the cluster, by events (copies, accesses that arrive from other clusters), and by later actions of
 * other HPUs, which take remote_reach cycles to get here. An access that has waited is repeated once, to take its grant.
 */
void soc__begin_turn(struct soc *soc, const struct hpu *hpu, uint64_t until, int l1_is_quiet)
{
	uint64_t same, rest, near, far;

	tournament__others(&soc->order, hpu->number, soc->stride_bits, &same, &rest);
	soc->next_in_cluster = tournament__cycle(same);
	soc->alone_in_l1 = same == TOURNAMENT_NEVER && !hpu->grant && l1_is_quiet;
	same = tournament__before(same, hpu->number);
	rest = tournament__before(rest, hpu->number);
	far = rest == TOURNAMENT_NEVER ? rest : rest + soc->target->remote_reach - 1;
	near = same < far ? same : far;
	soc->lookahead = same < rest ? same : rest;
	soc->lookahead_l1 = near;
	limit(soc, until, until); /* the caller may add anything after that cycle */
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
