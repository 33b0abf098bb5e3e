/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "alarm.h"
#include "copies.h"
#include "dma.h"
#include "l1.h"
#include "l2.h"
#include "scheduler.h"

struct ask {
	uint64_t from; /* when it can be let in */
	uint32_t l1, beats;
};

struct asker {
	struct ask *ask; /* a queue of those that wait */
	uint32_t first, count;
	uint64_t next;   /* copy_gap after the last one */
};

struct copies {
	struct soc *soc;
	struct asker *asker;  /* per cluster */
	uint32_t room;        /* of their queues: a cluster has no more tasks */
	unsigned last;        /* cluster that was let in */
	uint64_t turn_ends;
	uint64_t *leaves;     /* when each of those let in makes room for another; a ring of copy_queue */
	uint32_t let_in;
	struct alarm alarm;
};

struct copies *copies__new(struct soc *soc)
{
	const struct pspin_target *target = soc->target;
	struct copies *copies = calloc(1, sizeof(*copies));

	if (!copies)
		return NULL;
	copies->soc = soc;
	copies->room = (uint32_t)(target->hers_buffered + target->hpus);
	copies->asker = calloc(target->clusters, sizeof(*copies->asker));
	copies->leaves = calloc(target->copy_queue, sizeof(*copies->leaves));
	alarm__open(&copies->alarm);
	for (unsigned i = 0; copies->asker && i < target->clusters; i++)
		if (!(copies->asker[i].ask = calloc(copies->room, sizeof(struct ask)))) {
			copies__free(copies);
			return NULL;
		}
	if (!copies->asker || !copies->leaves) {
		copies__free(copies);
		return NULL;
	}
	return copies;
}

void copies__free(struct copies *copies)
{
	if (!copies)
		return;
	for (unsigned i = 0; copies->asker && i < copies->soc->target->clusters; i++)
		free(copies->asker[i].ask);
	free(copies->asker);
	free(copies->leaves);
	free(copies);
}

/* The cycle from which on a cluster could be let in; UINT64_MAX: it has nothing. */
static uint64_t eligible(const struct asker *asker)
{
	if (!asker->count)
		return UINT64_MAX;
	return asker->next > asker->ask[asker->first].from ? asker->next : asker->ask[asker->first].from;
}

/*
 * The next in turn after the last one of those that ask since `since`, and how many do. D: spilled starts; who has just come is
 * behind who waits already.
 */
static unsigned choose(const struct copies *copies, uint64_t cycle, uint64_t since, unsigned *waiting)
{
	unsigned clusters = (unsigned)copies->soc->target->clusters, chosen = clusters;

	*waiting = 0;
	for (unsigned i = 1; i <= clusters; i++) {
		unsigned c = (copies->last + i) % clusters;
		const struct asker *asker = &copies->asker[c];

		if (eligible(asker) > cycle || asker->ask[asker->first].from > since)
			continue;
		if (chosen == clusters)
			chosen = c;
		(*waiting)++;
	}
	return chosen;
}

static void arrived(void *arg, uint64_t cycle, uint64_t cluster)
{
	const struct copies *copies = arg;

	scheduler__copied(copies->soc->schedulers[cluster], cycle);
}

static void let_in(struct copies *copies, uint64_t cycle, unsigned cluster, unsigned waiting)
{
	const struct pspin_target *target = copies->soc->target;
	struct asker *asker = &copies->asker[cluster];
	struct ask ask = asker->ask[asker->first];
	uint64_t first = l2__burst(copies->soc->l2, cycle, ask.beats), done;
	struct dma *dma = scheduler__dma(copies->soc->schedulers[cluster]);

	dma->free = (dma->free > first ? dma->free : first) + ask.beats; /* transfers of HPUs come behind it */
	asker->first = (asker->first + 1) % copies->room;
	asker->count--;
	asker->next = cycle + target->copy_gap;
	copies->last = cluster;
	/* Its turn is as long as it could go on by itself, unless another waits already. */
	copies->turn_ends = cycle + (waiting > 1 ? 1 : target->copy_gap);
	copies->leaves[copies->let_in++ % target->copy_queue] = first + ask.beats + 1;
	done = first + (ask.beats < target->copy_beats ? target->copy_beats : ask.beats) + target->copy_cycles;
	/* A: written as late as it can be, in the cycles before it is known to be there */
	for (uint32_t i = 0; i < ask.beats; i++)
		l1__beat(copies->soc->l1[cluster], first + i + target->copy_cycles, ask.l1 + i * (uint32_t)target->beat_bytes);
	events__add(&copies->soc->events, done, arrived, copies, cluster);
}

static void step(void *arg, uint64_t cycle, uint64_t what);

/* The earliest cycle in which another can be let in. */
static void set(struct copies *copies, uint64_t cycle)
{
	uint64_t next = UINT64_MAX, leaves = copies->leaves[copies->let_in % copies->soc->target->copy_queue];

	for (unsigned i = 0; i < copies->soc->target->clusters; i++)
		if (eligible(&copies->asker[i]) < next)
			next = eligible(&copies->asker[i]);
	if (next == UINT64_MAX)
		return;
	if (next < copies->turn_ends)
		next = copies->turn_ends;
	if (next < leaves)
		next = leaves;
	alarm__set(&copies->alarm, &copies->soc->events, next > cycle ? next : cycle + 1, step, copies);
}

static void step(void *arg, uint64_t cycle, uint64_t what)
{
	struct copies *copies = arg;
	unsigned waiting, cluster;

	(void)what;
	if (!alarm__rings(&copies->alarm, cycle))
		return;
	if (cycle >= copies->turn_ends && cycle >= copies->leaves[copies->let_in % copies->soc->target->copy_queue]) {
		cluster = choose(copies, cycle, cycle - 1, &waiting);
		if (!waiting)
			cluster = choose(copies, cycle, cycle, &waiting);
		if (waiting)
			let_in(copies, cycle, cluster, waiting);
	}
	set(copies, cycle);
}

void copies__ask(struct copies *copies, uint64_t cycle, unsigned cluster, uint32_t l1, uint32_t beats)
{
	struct asker *asker = &copies->asker[cluster];

	asker->ask[(asker->first + asker->count++) % copies->room] = (struct ask){ cycle + 1, l1, beats };
	set(copies, cycle);
}
