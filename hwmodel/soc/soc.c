/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The machine as a whole: its parts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hwmodel/core/icache.h"
#include "hwmodel/soc/commands.h"
#include "hwmodel/soc/event_unit.h"
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/l2.h"
#include "hwmodel/soc/l2_port.h"
#include "hwmodel/soc/mpq.h"
#include "hwmodel/soc/scheduler.h"
#include "hwmodel/soc/share.h"
#include "hwmodel/soc/soc.h"
#include "hwmodel/soc/threads.h"

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

/* What the clusters share, and each one's own. */
static int open_parts(struct soc *soc)
{
	const struct pspin_target *target = soc->target;
	unsigned clusters = (unsigned)target->clusters;

	soc->l1 = calloc(clusters, sizeof(*soc->l1));
	soc->icache = calloc(clusters, sizeof(*soc->icache));
	soc->event_units = calloc(clusters, sizeof(*soc->event_units));
	soc->l2 = l2__new();
	soc->l2_port = l2_port__new(soc);
	if (!soc->l1 || !soc->icache || !soc->event_units || !soc->l2 || !soc->l2_port)
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

/* Commands, cluster schedulers and the MPQ engine. 0 or -ENOMEM. */
static int open_hardware(struct soc *soc)
{
	int missing;

	soc->commands = commands__new(soc);
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

/* 0 or not. */
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
	if (!soc->hpus || open_pipelines(soc) || turns__open(&soc->turns, (unsigned)target->clusters * soc->stride))
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
	turns__close(&soc->turns);
	for (unsigned i = 0; i < soc->memory.clusters; i++) {
		l1__free(soc->l1 ? soc->l1[i] : NULL);
		icache__free(soc->icache ? soc->icache[i] : NULL);
		event_unit__free(soc->event_units ? soc->event_units[i] : NULL);
	}
	free(soc->l1);
	free(soc->icache);
	free(soc->event_units);
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

void soc__caches(struct soc *soc, int used)
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

void soc__set_weight(struct soc *soc, unsigned program, uint32_t weight)
{
	mpqs__shares(soc->mpqs)->of[program].weight = weight;
}

void soc__cool(struct soc *soc)
{
	for (unsigned i = 0; i < soc->memory.clusters; i++)
		icache__flush(soc->icache[i]);
}
