/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The machine as a whole, and how its time goes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "mpq.h"
#include "scheduler.h"
#include "soc.h"

/* Commands, cluster schedulers and the MPQ engine. 0 or -ENOMEM. */
static int hardware__open(struct soc *soc)
{
	int missing;

	soc->commands = commands__new(soc->target);
	soc->schedulers = calloc(soc->target->clusters, sizeof(*soc->schedulers));
	missing = !soc->commands || !soc->schedulers;
	for (unsigned i = 0; !missing && i < soc->target->clusters; i++)
		missing = !(soc->schedulers[i] = scheduler__new(soc, i));
	if (!missing)
		missing = !(soc->mpqs = mpqs__new(soc));
	return missing ? -ENOMEM : 0;
}

static void hardware__close(struct soc *soc)
{
	mpqs__free(soc->mpqs);
	for (unsigned i = 0; soc->schedulers && i < soc->target->clusters; i++)
		scheduler__free(soc->schedulers[i]);
	free(soc->schedulers);
	commands__free(soc->commands);
}

int soc__open(struct soc *soc, const struct pspin_target *target, const struct soc_nic *nic, void *arg)
{
	int err;

	memset(soc, 0, sizeof(*soc));
	soc->target = target;
	soc->nic = nic;
	soc->nic_arg = arg;
	if (target->hpus > SOC_CLUSTER_HPUS_MAX)
		return -EINVAL;
	err = storage__open(&soc->memory, target);
	if (err)
		return err;
	soc->hpu_count = (unsigned)(target->clusters * target->hpus);
	soc->hpus = calloc(soc->hpu_count, sizeof(*soc->hpus));
	err = !soc->hpus || turns__open(&soc->turns, soc->hpu_count) ? -ENOMEM : 0;
	for (unsigned i = 0; !err && i < soc->hpu_count; i++)
		err = hpu__open(&soc->hpus[i], soc, i / (unsigned)target->hpus, i % (unsigned)target->hpus);
	if (!err)
		err = hardware__open(soc);
	if (err)
		soc__close(soc);
	return err;
}

void soc__close(struct soc *soc)
{
	for (unsigned i = 0; soc->hpus && i < soc->hpu_count; i++)
		if (soc->hpus[i].core)
			hpu__close(&soc->hpus[i]);
	free(soc->hpus);
	hardware__close(soc);
	turns__close(&soc->turns);
	events__free(&soc->events);
	storage__close(&soc->memory);
	memset(soc, 0, sizeof(*soc));
}

void soc__look(struct soc *soc)
{
	uint64_t next = events__next(&soc->events);

	if (soc->horizon >= next)
		soc->horizon = next - 1;
}

void soc__wake(struct soc *soc, struct hpu *hpu, uint64_t cycle)
{
	turns__set(&soc->turns, hpu->number, cycle);
	if (soc->turn && soc->turn != hpu) {
		uint64_t before = cycle - (hpu->number < soc->turn->number);

		if (soc->horizon > before)
			soc->horizon = before;
	}
}

static void turn(struct soc *soc, struct hpu *hpu, uint64_t until)
{
	uint64_t others = turns__others(&soc->turns, hpu->number), cycle;

	soc->turn = hpu;
	soc->horizon = others < until ? others : until;
	soc__look(soc);
	hpu__turn(hpu);
	soc->turn = NULL;
	cycle = rv32_core__cycle(hpu->core);
	turns__set(&soc->turns, hpu->number,
		   hpu->waits || (hpu->stopped && !hpu->idle_pc) ? TURNS_NEVER : cycle > hpu->held ? cycle : hpu->held);
}

/* One event, or one core's turn. 0: there is none up to that cycle. */
static int step(struct soc *soc, uint64_t until)
{
	uint64_t first = soc->turns.key[1], cycle = turns__cycle(first), event = events__next(&soc->events);

	if (event <= cycle) {
		if (event > until || event == UINT64_MAX)
			return 0;
		soc->now = event;
		events__happen(&soc->events);
		return 1;
	}
	if (cycle > until)
		return 0;
	turn(soc, &soc->hpus[turns__number(first)], until);
	return 1;
}

void soc__run(struct soc *soc, uint64_t until)
{
	while (step(soc, until))
		;
	if (until != UINT64_MAX && soc->now < until)
		soc->now = until;
}

int soc__boot(struct soc *soc)
{
	for (unsigned i = 0; i < soc->hpu_count; i++)
		hpu__reset(&soc->hpus[i]);
	soc__run(soc, UINT64_MAX);
	for (unsigned i = 0; i < soc->hpu_count; i++) {
		if (!soc->hpus[i].idle_pc || soc->hpus[i].result.error)
			return -EFAULT;
		if (soc->now < rv32_core__cycle(soc->hpus[i].core)) /* all of them wait from here on */
			soc->now = rv32_core__cycle(soc->hpus[i].core);
	}
	return 0;
}

void soc__run_one(struct soc *soc, struct hpu *hpu, uint32_t function, const struct hpu_descriptor *descriptor,
		  struct hpu_task_result *out)
{
	struct soc_task task = { .hpu = hpu };
	struct rv32_stats start;
	uint64_t cycle = rv32_core__cycle(hpu->core) + 1;

	hpu->running = &task;
	hpu->alone = 1;
	hpu->feedback = 0;
	hpu__give(hpu, cycle > soc->now ? cycle : soc->now, function, descriptor);
	rv32_core__stats(hpu->core, &start);
	while (hpu->function && step(soc, UINT64_MAX))
		;
	while (!hpu->waits && step(soc, UINT64_MAX))
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
