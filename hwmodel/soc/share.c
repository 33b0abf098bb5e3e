/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counts the core (HPU) time of each program, and chooses the program whose task is next: for targets with scheduler = fair_hpu_time
 * (share.h). Called by the MPQ engine and the cluster schedulers when a program's tasks become ready, start and end.
 */
#include "hwmodel/soc/share.h"
#include "hwmodel/soc/timing.h"

void shares__open(struct shares *shares)
{
	*shares = (struct shares){ 0 };
	for (unsigned i = 0; i < SOC_PROGRAMS_MAX; i++)
		shares->of[i].weight = 1;
}

/* A task may be assigned to an HPU a few cycles before it starts there, so the sum of start cycles may exceed the time. */
static uint64_t time_of(const struct share *share, uint64_t cycle)
{
	uint64_t running = share->running * cycle > share->started ? share->running * cycle - share->started : 0;
	uint64_t waiting = share->ended ? share->waiting * (share->used / share->ended) : 0;

	return share->lifted + share->used + running + waiting;
}

static int is_busy(const struct share *share)
{
	return share->ready || share->waiting || share->running;
}

/* Has `a` used less time than `b`, relative to its weight? */
static int has_less(const struct share *a, const struct share *b, uint64_t cycle)
{
	return (unsigned __int128)time_of(a, cycle) * b->weight < (unsigned __int128)time_of(b, cycle) * a->weight;
}

/* A program that was idle must not make up for that time: it continues at the least time of the busy ones. */
static void raise_idle_time(struct shares *shares, struct share *share, uint64_t cycle)
{
	const struct share *least = NULL;
	uint64_t now = time_of(share, cycle), others;

	for (unsigned i = 0; i < SOC_PROGRAMS_MAX; i++)
		if (&shares->of[i] != share && is_busy(&shares->of[i]) && (!least || has_less(&shares->of[i], least, cycle)))
			least = &shares->of[i];
	if (!least)
		return;
	others = (uint64_t)((unsigned __int128)time_of(least, cycle) * share->weight / least->weight);
	if (now < others)
		share->lifted += others - now;
}

void shares__ready(struct shares *shares, unsigned program, uint64_t cycle)
{
	struct share *share = &shares->of[program];

	if (!is_busy(share))
		raise_idle_time(shares, share, cycle);
	share->ready++;
}

void shares__unready(struct shares *shares, unsigned program)
{
	shares->of[program].ready--;
}

void shares__sent(struct shares *shares, unsigned program)
{
	shares->of[program].waiting++;
	shares->last = program;
}

void shares__starts(struct shares *shares, unsigned program, uint64_t cycle)
{
	struct share *share = &shares->of[program];

	share->waiting--;
	share->running++;
	share->started += cycle;
}

void shares__ends(struct shares *shares, unsigned program, uint64_t started, uint64_t cycle)
{
	struct share *share = &shares->of[program];

	share->running--;
	share->started -= started;
	share->used += cycle - started;
	share->ended++;
}

unsigned shares__ahead(const struct shares *shares, unsigned program, unsigned hpus)
{
	const struct share *share = &shares->of[program];
	const uint64_t mean = share->ended ? share->used / share->ended + 1 : 0;

	return mean ? (unsigned)((hpus * TASK_WAY_CYCLES + mean - 1) / mean) : 0;
}

unsigned shares__order(const struct shares *shares, uint64_t cycle, unsigned order[SOC_PROGRAMS_MAX])
{
	unsigned count = 0;

	for (unsigned i = 1; i <= SOC_PROGRAMS_MAX; i++) {
		unsigned program = (shares->last + i) % SOC_PROGRAMS_MAX, at = count;

		if (!shares->of[program].ready)
			continue;
		for (; at && has_less(&shares->of[program], &shares->of[order[at - 1]], cycle); at--)
			order[at] = order[at - 1];
		order[at] = program;
		count++;
	}
	return count;
}
