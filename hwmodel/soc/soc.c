/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The modelled SoC as a whole ("the machine"): builds it from its components, and runs it, event by event and core by core. Called by the
 * NIC (nic/) and by tests. The only file that knows all components.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hwmodel/core/icache.h"
#include "hwmodel/core/max.h"
#include "hwmodel/soc/commands.h"
#include "hwmodel/soc/copies.h"
#include "hwmodel/soc/hpu.h"
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/l2.h"
#include "hwmodel/soc/mpq.h"
#include "hwmodel/soc/peripherals.h"
#include "hwmodel/soc/scheduler.h"
#include "hwmodel/soc/share.h"
#include "hwmodel/soc/soc.h"
#include "hwmodel/soc/threads.h"

static void copied(struct soc *soc, unsigned cluster, uint64_t cycle)
{
	scheduler__copied(soc->schedulers[cluster], cycle);
}

static const struct soc_upcalls upcalls = {
	.on_bus_access = hpu__access,
	.on_command_known = command__known,
	.on_doorbell = scheduler__doorbell,
	.on_commands_known = scheduler__commands_known,
	.on_copied = copied,
	.on_feedback_ready = mpqs__feedback,
	.on_cluster_has_room = mpqs__has_room,
};

static struct icache *new_icache(const struct pspin_target *target, struct reservations *program_memory)
{
	const struct icache_config config = {
		.bytes = (uint32_t)target->icache_bytes,
		.ways = (uint32_t)target->icache_ways,
		.line_bytes = (uint32_t)target->icache_line_bytes,
		.ports = target__threads(target),
		.miss_cycles = (uint32_t)target->icache_miss,
		.refill_cycles = (uint32_t)target->icache_refill,
		.memory = program_memory,
	};

	return icache__new(&config);
}

/* Opens the parts that clusters share, and those of each cluster. */
static int open_parts(struct soc *soc)
{
	const struct pspin_target *target = soc->target;
	unsigned clusters = (unsigned)target->clusters;

	soc->l1 = calloc(clusters, sizeof(*soc->l1));
	soc->icache = calloc(clusters, sizeof(*soc->icache));
	soc->event_units = calloc(clusters, sizeof(*soc->event_units));
	soc->dmas = calloc(clusters, sizeof(*soc->dmas));
	soc->l2 = l2__new();
	soc->l2_port = l2_port__new(soc);
	if (!soc->l1 || !soc->icache || !soc->event_units || !soc->dmas || !soc->l2 || !soc->l2_port)
		return -ENOMEM;
	for (unsigned i = 0; i < clusters; i++) {
		soc->l1[i] = l1__new(target);
		soc->icache[i] = soc->l1[i] ? new_icache(target, &soc->program_memory) : NULL;
		if (!soc->icache[i])
			return -errno;
		soc->event_units[i] = event_unit__new();
		if (!soc->event_units[i])
			return -ENOMEM;
	}
	return 0;
}

/* Opens commands, cluster schedulers and the MPQ engine. Returns 0 or -ENOMEM. */
static int open_hardware(struct soc *soc)
{
	int missing;

	soc->commands = commands__new(soc);
	soc->copies = copies__new(soc);
	soc->shares = calloc(1, sizeof(*soc->shares));
	soc->schedulers = calloc(soc->target->clusters, sizeof(*soc->schedulers));
	missing = !soc->commands || !soc->copies || !soc->shares || !soc->schedulers;
	if (soc->shares)
		shares__open(soc->shares);
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
	free(soc->shares);
	copies__free(soc->copies);
	commands__free(soc->commands);
}

/* Returns nonzero if out of memory. */
static int open_pipelines(struct soc *soc)
{
	const unsigned hpus = (unsigned)soc->target->hpus;

	if (soc->target->hpu_threads == 1)
		return 0;
	soc->pipelines = calloc(soc->target->clusters * hpus, sizeof(*soc->pipelines));
	for (unsigned i = 0; soc->pipelines && i < soc->target->clusters * hpus; i++)
		soc->pipelines[i].first = &soc->hpus[i / hpus * target__threads(soc->target) + i % hpus];
	return !soc->pipelines;
}

static int open_hpus(struct soc *soc)
{
	const struct pspin_target *target = soc->target;

	const unsigned threads = target__threads(target);

	soc->hpu_count = (unsigned)target->clusters * threads;
	soc->hpus = calloc(soc->hpu_count, sizeof(*soc->hpus));
	soc->stride = 1;
	for (; soc->stride < threads; soc->stride *= 2)
		soc->stride_bits++;
	if (!soc->hpus || open_pipelines(soc) || tournament__open(&soc->order, (unsigned)target->clusters * soc->stride))
		return -ENOMEM;
	for (unsigned i = 0; i < soc->hpu_count; i++) {
		int err = hpu__open(&soc->hpus[i], soc, i / threads, i % threads);

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
	soc->up = &upcalls;
	soc->nic = nic;
	soc->nic_arg = arg;
	if (target__threads(target) > SOC_CLUSTER_HPUS_MAX)
		return -EINVAL;
	err = storage__open(&soc->memory, target);
	soc->memories[soc->programs++] = &soc->memory;
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
		if (soc->hpus[i].soc)
			hpu__close(&soc->hpus[i]);
	close_hardware(soc);
	free(soc->hpus);
	free(soc->pipelines);
	tournament__close(&soc->order);
	for (unsigned i = 0; i < soc->memory.clusters; i++) {
		l1__free(soc->l1 ? soc->l1[i] : NULL);
		icache__free(soc->icache ? soc->icache[i] : NULL);
		event_unit__free(soc->event_units ? soc->event_units[i] : NULL);
	}
	free(soc->l1);
	free(soc->icache);
	free(soc->event_units);
	free(soc->dmas);
	l2__free(soc->l2);
	l2_port__free(soc->l2_port);
	events__free(&soc->events);
	storage__close(&soc->memory);
	memset(soc, 0, sizeof(*soc));
}

static void set_caches(struct soc *soc, unsigned program)
{
	for (unsigned i = 0; i < soc->hpu_count; i++) {
		struct hpu *hpu = &soc->hpus[i];

		rv32_core__set_icache(hpu->programs[program].core, soc->caches ? soc->icache[hpu->cluster] : NULL, hpu->index);
	}
}

void soc__use_icaches(struct soc *soc, int used)
{
	if (soc->caches == used)
		return;
	soc->caches = used;
	for (unsigned program = 0; program < soc->programs; program++)
		set_caches(soc, program);
}

int soc__add_program(struct soc *soc, struct storage *memory, uint32_t code_at)
{
	unsigned program = soc->programs;

	if (program == SOC_PROGRAMS_MAX)
		return -ENOSPC;
	soc->memories[program] = memory;
	for (unsigned i = 0; i < soc->hpu_count; i++)
		if (hpu__add(&soc->hpus[i], program, code_at))
			return -ENOMEM;
	if (mpqs__add_program(soc->mpqs, program))
		return -ENOMEM;
	soc->programs++;
	set_caches(soc, program);
	return (int)program;
}

void soc__set_watchdog(struct soc *soc, unsigned program, uint32_t cycles)
{
	for (unsigned i = 0; i < soc->hpu_count; i++)
		hpu__set_watchdog(&soc->hpus[i], program, cycles);
}

void soc__set_weight(struct soc *soc, unsigned program, uint32_t weight)
{
	soc->shares->of[program].weight = weight;
}

void soc__flush_icaches(struct soc *soc)
{
	for (unsigned i = 0; i < soc->memory.clusters; i++)
		icache__flush(soc->icache[i]);
}

int soc__her(struct soc *soc, uint64_t cycle, const struct soc_her *her)
{
	return mpqs__her(soc->mpqs, cycle, her);
}

int soc__takes_her(struct soc *soc, uint32_t message_id)
{
	return mpqs__takes_her(soc->mpqs, message_id);
}

void soc__forget(struct soc *soc, uint32_t message_id)
{
	mpqs__forget(soc->mpqs, message_id);
}

/* --- time --- */

/* Lets a core run until it must wait for the others, and enters it again at its new time. */
static void turn(struct soc *soc, struct hpu *hpu, uint64_t until)
{
	uint64_t cycle;

	soc->turn = hpu;
	soc__begin_turn(soc, hpu, until, l1__is_idle(soc->l1[hpu->cluster], tournament__cycle(soc->order.key[1])));
	hpu__turn(hpu);
	soc->turn = NULL;
	cycle = rv32_core__cycle(hpu->core);
	if (hpu->idle || hpu->pending || hpu->parked || (hpu->stopped && !hpu->of->idle_pc))
		cycle = TOURNAMENT_NEVER;
	else if (cycle < hpu->blocked_until)
		cycle = hpu->blocked_until;
	tournament__set(&soc->order, hpu->number, cycle);
	if (hpu->pipeline)
		threads__choose(soc, hpu->pipeline);
}

static struct hpu *hpu_of(struct soc *soc, unsigned number)
{
	return &soc->hpus[(number >> soc->stride_bits) * target__threads(soc->target) + (number & (soc->stride - 1))];
}

/* Runs one event, or one core's turn. Returns 0 if there is none up to that cycle. */
static int step(struct soc *soc, uint64_t until)
{
	uint64_t first = soc->order.key[1], cycle = tournament__cycle(first), event = events__next(&soc->events);

	if (event <= cycle) {
		if (event > until || event == UINT64_MAX)
			return 0;
		soc->now = soc->reached = event;
		events__run_next(&soc->events);
		return 1;
	}
	if (cycle > until)
		return 0;
	soc->reached = cycle;
	turn(soc, hpu_of(soc, tournament__number(first)), until);
	return 1;
}

void soc__run(struct soc *soc, uint64_t until)
{
	soc__use_icaches(soc, !soc->ideal_icache);
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
		if (soc->now < rv32_core__cycle(soc->hpus[i].core)) /* the cycle from which all of them wait */
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

	soc__use_icaches(soc, 0);
	hpu->running = &task;
	hpu->alone = 1;
	hpu->feedback = 0;
	hpu__assign(hpu, cycle > soc->now ? cycle : soc->now, function, descriptor);
	rv32_core__stats(hpu->core, &start);
	while (hpu->function && step(soc, UINT64_MAX))
		;
	while ((!hpu->idle || command__all_done(hpu) == UINT64_MAX) && step(soc, UINT64_MAX))
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
