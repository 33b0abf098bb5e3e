/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* How the machine's time goes: events, and the turns of its cores. */
#include <errno.h>

#include "hwmodel/core/max.h"
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/soc.h"
#include "hwmodel/soc/threads.h"

/* What others may do comes nearer: nothing shared is touched later than that. */
static void limit(struct soc *soc, uint64_t horizon, uint64_t near)
{
	if (soc->horizon > horizon)
		soc->horizon = horizon;
	if (soc->near <= near)
		return;
	soc->near = near;
	if (soc->alone_in_l1)
		rv32_core__share(soc->turn->core, near + 1);
}

void soc__asks_for_l1(struct soc *soc)
{
	if (!soc->turn)
		return;
	soc->alone_in_l1 = 0;
	rv32_core__share(soc->turn->core, 0);
}

void soc__look(struct soc *soc)
{
	uint64_t next = events__next(&soc->events);

	if (soc->turn && next != UINT64_MAX)
		limit(soc, next - 1, next - 1);
}

void soc__wake(struct soc *soc, struct hpu *hpu, uint64_t cycle)
{
	turns__set(&soc->turns, hpu->number, cycle);
	if (soc->turn && soc->turn != hpu) {
		uint64_t before = cycle - (hpu->number < soc->turn->number);

		if (hpu->cluster == soc->turn->cluster && soc->same > cycle)
			soc->same = cycle;
		limit(soc, before, hpu->cluster == soc->turn->cluster ? before : before + soc->target->remote_reach - 1);
	}
}

/*
 * The own L1 is asked for only by HPUs of the cluster, by events (copies, accesses that arrive from other clusters), and by
 * what other HPUs do from now on, which takes a while to get here. An access that has waited is asked for once more, to be told.
 */
static void look_ahead(struct soc *soc, const struct hpu *hpu, uint64_t until)
{
	uint64_t same, rest, near, far;

	turns__others(&soc->turns, hpu->number, soc->stride_bits, &same, &rest);
	soc->same = turns__cycle(same);
	soc->alone_in_l1 = same == TURNS_NEVER && !hpu->granted && l1__rests(soc->l1[hpu->cluster], turns__cycle(soc->turns.key[1]));
	same = turns__before(same, hpu->number);
	rest = turns__before(rest, hpu->number);
	far = rest == TURNS_NEVER ? rest : rest + soc->target->remote_reach - 1;
	near = same < far ? same : far;
	soc->horizon = same < rest ? same : rest;
	soc->near = near;
	limit(soc, until, until); /* from there on the caller may add what it likes */
	soc__look(soc);
	rv32_core__share(hpu->core, !soc->alone_in_l1 ? 0 : soc->near == UINT64_MAX ? UINT64_MAX : soc->near + 1);
}

static void turn(struct soc *soc, struct hpu *hpu, uint64_t until)
{
	uint64_t cycle;

	soc->turn = hpu;
	look_ahead(soc, hpu, until);
	hpu__turn(hpu);
	soc->turn = NULL;
	cycle = rv32_core__cycle(hpu->core);
	if (hpu->waits || hpu->away || hpu->parked || (hpu->stopped && !hpu->of->idle_pc))
		cycle = TURNS_NEVER;
	else if (cycle < hpu->held)
		cycle = hpu->held;
	turns__set(&soc->turns, hpu->number, cycle);
	if (hpu->pipeline)
		threads__choose(soc, hpu->pipeline);
}

static struct hpu *hpu_of(struct soc *soc, unsigned number)
{
	return &soc->hpus[(number >> soc->stride_bits) * target__threads(soc->target) + (number & (soc->stride - 1))];
}

/* One event, or one core's turn. 0: there is none up to that cycle. */
static int step(struct soc *soc, uint64_t until)
{
	uint64_t first = soc->turns.key[1], cycle = turns__cycle(first), event = events__next(&soc->events);

	if (event <= cycle) {
		if (event > until || event == UINT64_MAX)
			return 0;
		soc->now = soc->reached = event;
		events__happen(&soc->events);
		return 1;
	}
	if (cycle > until)
		return 0;
	soc->reached = cycle;
	turn(soc, hpu_of(soc, turns__number(first)), until);
	return 1;
}

void soc__run(struct soc *soc, uint64_t until)
{
	soc__caches(soc, !soc->warm);
	while (step(soc, until))
		;
	if (until != UINT64_MAX && soc->now < until)
		soc->now = until;
}

int soc__boot_program(struct soc *soc, unsigned program)
{
	for (unsigned i = 0; i < soc->hpu_count; i++)
		hpu__reset(&soc->hpus[i], program, soc->now);
	soc__run(soc, UINT64_MAX);
	for (unsigned i = 0; i < soc->hpu_count; i++) {
		if (!soc->hpus[i].of->idle_pc || soc->hpus[i].result.error)
			return -EFAULT;
		if (soc->now < rv32_core__cycle(soc->hpus[i].core)) /* all of them wait from here on */
			soc->now = rv32_core__cycle(soc->hpus[i].core);
	}
	for (unsigned i = 0; soc->pipelines && i < soc->target->clusters * soc->target->hpus; i++)
		soc->pipelines[i].running = soc->pipelines[i].switching = soc->pipelines[i].waiting = 0;
	return 0;
}

int soc__boot(struct soc *soc)
{
	return soc__boot_program(soc, 0);
}

void soc__run_one(struct soc *soc, struct hpu *hpu, uint32_t function, const struct hpu_descriptor *descriptor, struct hpu_task_result *out)
{
	struct soc_task task = { .hpu = hpu };
	struct rv32_stats start;
	uint64_t cycle = max_u64(rv32_core__cycle(hpu->core), command__all_done(hpu)) + 1;

	soc__caches(soc, 0);
	hpu->running = &task;
	hpu->alone = 1;
	hpu->feedback = 0;
	hpu__give(hpu, cycle > soc->now ? cycle : soc->now, function, descriptor);
	rv32_core__stats(hpu->core, &start);
	while (hpu->function && step(soc, UINT64_MAX))
		;
	while ((!hpu->waits || command__all_done(hpu) == UINT64_MAX) && step(soc, UINT64_MAX))
		;
	hpu->alone = 0;
	hpu->running = NULL;
	rv32_core__stats(hpu->core, &hpu->result.stats);
	hpu->result.stats.cycle -= start.cycle;
	hpu->result.stats.instructions -= start.instructions;
	for (unsigned i = 0; i < RV32_CAUSE_COUNT; i++)
		hpu->result.stats.cycles[i] -= start.cycles[i];
	*out = hpu->result;
}
