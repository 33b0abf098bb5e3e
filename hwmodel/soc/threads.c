/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The hardware threads of an HPU, a core of the NIC: which of them has the pipeline (threads.h). Called by hpu.c, driver.c and
 * peripherals.c when a thread waits, yields or is ready, and by soc.c after each turn. Invariant: at most one thread of an HPU has the
 * pipeline.
 */
#include "hwmodel/core/max.h"
#include "hwmodel/soc/lookahead.h"
#include "hwmodel/soc/threads.h"
#include "hwmodel/soc/timing.h"

static struct hpu *thread_of(const struct soc *soc, const struct pipeline *pipeline, unsigned i)
{
	return pipeline->first + i * (unsigned)soc->target->hpus;
}

void threads__park(struct hpu *hpu, enum park what, uint64_t cycle, uint64_t ready)
{
	struct pipeline *pipeline = hpu->pipeline;

	hpu->parked = what;
	hpu->parked_at = what == PARK_SLICE ? cycle : cycle + 1;
	hpu->ready = ready;
	pipeline->free = hpu->parked_at;
	pipeline->running += pipeline->free > pipeline->since ? pipeline->free - pipeline->since : 0;
	pipeline->last = hpu;
	pipeline->owner = NULL;
}

/* Returns when the pipeline turns to a thread that gets it next. */
static uint64_t switch_cycle(const struct pipeline *pipeline, const struct hpu *hpu)
{
	return max_u64(hpu->ready, pipeline->free);
}

/* Returns when that thread's next instruction is issued. */
static uint64_t next_issue(const struct pipeline *pipeline, const struct hpu *hpu)
{
	return switch_cycle(pipeline, hpu) + (hpu == pipeline->last ? 0 : hpu->target->thread_switch_cycles);
}

static int goes_before(const struct pipeline *pipeline, const struct hpu *a, const struct hpu *b)
{
	uint64_t a_cycle = switch_cycle(pipeline, a), b_cycle = switch_cycle(pipeline, b);

	return a_cycle != b_cycle ? a_cycle < b_cycle : a->ready < b->ready;
}

void threads__choose(struct soc *soc, struct pipeline *pipeline)
{
	struct hpu *best = NULL;
	uint64_t at;

	if (pipeline->owner)
		return;
	for (unsigned i = 0; i < soc->target->hpu_threads; i++) {
		struct hpu *hpu = thread_of(soc, pipeline, i);

		tournament__set(&soc->order, hpu->number, TOURNAMENT_NEVER);
		if (hpu->parked && hpu->ready != UINT64_MAX && (!best || goes_before(pipeline, hpu, best)))
			best = hpu;
	}
	if (!best)
		return;
	at = next_issue(pipeline, best);
	soc__wake(soc, best, max_u64(at ? at - 1 : 0, soc->reached));
}

void threads__ready(struct hpu *hpu, uint64_t ready)
{
	hpu->ready = ready;
	threads__choose(hpu->soc, hpu->pipeline);
}

/* Counts the time up to `at` in which no thread had the pipeline. */
static void count_gap(struct soc *soc, struct pipeline *pipeline, const struct hpu *next, uint64_t at)
{
	uint64_t switching = next == pipeline->last ? 0 : soc->target->thread_switch_cycles;
	uint64_t gap = at - pipeline->free - switching;

	pipeline->switching += switching;
	for (unsigned i = 0; i < soc->target->hpu_threads; i++) {
		if (thread_of(soc, pipeline, i)->parked != PARK_COMMAND)
			continue;
		pipeline->waiting += gap;
		return;
	}
}

void threads__resume(struct hpu *hpu)
{
	struct pipeline *pipeline = hpu->pipeline;
	uint64_t at = next_issue(pipeline, hpu), back = thread_back_cycles[hpu->parked];

	count_gap(hpu->soc, pipeline, hpu, at);
	pipeline->owner = hpu;
	pipeline->since = at;
	pipeline->slice_end = at + hpu->target->thread_slice_cycles;
	if (hpu->begun && hpu->parked != PARK_TASK)
		hpu->result.parked_cycles += at - hpu->parked_at;
	if (hpu->deadline != UINT64_MAX) /* the watchdog does not count cycles in which the thread was ready without the pipeline */
		hpu->deadline += at - hpu->ready;
	if (hpu->parked == PARK_COMMAND)
		rv32_core__wait(hpu->core, hpu->ready - back, RV32_CYC_COMMAND);
	if (hpu->parked == PARK_TASK)
		rv32_core__advance(hpu->core, at - back);
	else
		rv32_core__wait(hpu->core, at - back, RV32_CYC_THREAD);
	hpu->resumed_at = hpu->parked == PARK_COMMAND ? at : 0;
	hpu->parked = PARK_NOT;
}

int threads__wanted(const struct hpu *hpu, uint64_t cycle)
{
	const struct soc *soc = hpu->soc;

	for (unsigned i = 0; i < soc->target->hpu_threads; i++) {
		const struct hpu *other = thread_of(soc, hpu->pipeline, i);

		if (other != hpu && other->parked && other->ready <= cycle)
			return 1;
	}
	return 0;
}

int threads__expired(struct hpu *hpu, uint64_t cycle)
{
	if (threads__wanted(hpu, cycle))
		return 1;
	hpu->pipeline->slice_end = cycle + hpu->target->thread_slice_cycles;
	return 0;
}
