/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The machine as a whole, and how its time goes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/icache.h"
#include "commands.h"
#include "l1.h"
#include "l2.h"
#include "mpq.h"
#include "scheduler.h"
#include "soc.h"

static struct icache *new_icache(const struct pspin_target *target)
{
	const struct icache_config config = {
		.bytes = (uint32_t)target->icache_bytes,
		.ways = (uint32_t)target->icache_ways,
		.line_bytes = (uint32_t)target->icache_line_bytes,
		.ports = (uint32_t)target->hpus,
		.miss_cycles = (uint32_t)target->icache_miss,
		.refill_cycles = (uint32_t)target->icache_refill,
	};

	return icache__new(&config);
}

/* What the clusters share, and each one's own. */
static int open_parts(struct soc *soc)
{
	const struct pspin_target *target = soc->target;
	unsigned clusters = (unsigned)target->clusters;

	soc->l1 = calloc(clusters, sizeof(*soc->l1));
	soc->icache = calloc(clusters, sizeof(*soc->icache));
	soc->l2 = l2__new(target);
	if (!soc->l1 || !soc->icache || !soc->l2)
		return -ENOMEM;
	for (unsigned i = 0; i < clusters; i++) {
		soc->l1[i] = l1__new(target);
		soc->icache[i] = soc->l1[i] ? new_icache(target) : NULL;
		if (!soc->icache[i])
			return -errno;
	}
	return 0;
}

/* Commands, cluster schedulers and the MPQ engine. 0 or -ENOMEM. */
static int open_hardware(struct soc *soc)
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

static void close_hardware(struct soc *soc)
{
	mpqs__free(soc->mpqs);
	for (unsigned i = 0; soc->schedulers && i < soc->target->clusters; i++)
		scheduler__free(soc->schedulers[i]);
	free(soc->schedulers);
	commands__free(soc->commands);
}

static int open_hpus(struct soc *soc)
{
	const struct pspin_target *target = soc->target;

	soc->hpu_count = (unsigned)(target->clusters * target->hpus);
	soc->hpus = calloc(soc->hpu_count, sizeof(*soc->hpus));
	soc->stride = 1;
	for (; soc->stride < target->hpus; soc->stride *= 2)
		soc->stride_bits++;
	if (!soc->hpus || turns__open(&soc->turns, (unsigned)target->clusters * soc->stride))
		return -ENOMEM;
	for (unsigned i = 0; i < soc->hpu_count; i++) {
		int err = hpu__open(&soc->hpus[i], soc, i / (unsigned)target->hpus, i % (unsigned)target->hpus);

		if (err)
			return err;
	}
	return 0;
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
	if (!err)
		err = open_parts(soc);
	if (!err)
		err = open_hpus(soc);
	if (!err)
		err = open_hardware(soc);
	if (err)
		soc__close(soc);
	return err;
}

void soc__close(struct soc *soc)
{
	for (unsigned i = 0; soc->hpus && i < soc->hpu_count; i++)
		if (soc->hpus[i].core)
			hpu__close(&soc->hpus[i]);
	close_hardware(soc);
	free(soc->hpus);
	turns__close(&soc->turns);
	for (unsigned i = 0; i < soc->memory.clusters; i++) {
		l1__free(soc->l1 ? soc->l1[i] : NULL);
		icache__free(soc->icache ? soc->icache[i] : NULL);
	}
	free(soc->l1);
	free(soc->icache);
	l2__free(soc->l2);
	events__free(&soc->events);
	storage__close(&soc->memory);
	memset(soc, 0, sizeof(*soc));
}

void soc__caches(struct soc *soc, int used)
{
	if (soc->caches == used)
		return;
	soc->caches = used;
	for (unsigned i = 0; i < soc->hpu_count; i++)
		rv32_core__set_icache(soc->hpus[i].core, used ? soc->icache[soc->hpus[i].cluster] : NULL, soc->hpus[i].index);
}

void soc__cool(struct soc *soc)
{
	for (unsigned i = 0; i < soc->memory.clusters; i++)
		icache__flush(soc->icache[i]);
}

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

		limit(soc, before, hpu->cluster == soc->turn->cluster ? before : before + soc->target->remote_reach - 1);
	}
}

/*
 * The own L1 is asked for only by HPUs of the cluster, by events (copies, accesses that arrive from other clusters), and by
 * what other HPUs do from now on, which takes a while to get here.
 */
static void look_ahead(struct soc *soc, const struct hpu *hpu, uint64_t until)
{
	uint64_t same, rest, near, far;

	turns__others(&soc->turns, hpu->number, soc->stride_bits, &same, &rest);
	soc->alone_in_l1 = same == TURNS_NEVER && !l1__has_beats(soc->l1[hpu->cluster], turns__cycle(soc->turns.key[1]));
	same = turns__before(same, hpu->number);
	rest = turns__before(rest, hpu->number);
	far = rest == TURNS_NEVER ? rest : rest + soc->target->remote_reach - 1;
	near = same < far ? same : far;
	soc->horizon = same < rest ? same : rest;
	if (soc->horizon > until)
		soc->horizon = until;
	soc->near = near;
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
	if (hpu->waits || hpu->away || (hpu->stopped && !hpu->idle_pc))
		cycle = TURNS_NEVER;
	else if (cycle < hpu->held)
		cycle = hpu->held;
	turns__set(&soc->turns, hpu->number, cycle);
}

static struct hpu *hpu_of(struct soc *soc, unsigned number)
{
	return &soc->hpus[(number >> soc->stride_bits) * (unsigned)soc->target->hpus + (number & (soc->stride - 1))];
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

	soc__caches(soc, 0);
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
