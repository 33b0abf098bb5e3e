/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "hwmodel/soc/alarm.h"
#include "hwmodel/soc/arbiter.h"
#include "hwmodel/soc/copies.h"
#include "hwmodel/soc/dma.h"
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/l2.h"
#include "hwmodel/soc/scheduler.h"

#define BUFFERED      2u /* D: transfers that are read while the writer is busy; tasks of 16 and 32 HPUs begin by it */
#define PLACE_CYCLES  4u /* D: from a copy's first beat to its place being free, by the same */
#define ANSWER_CYCLES 2u /* D: from a beat's place in L1 to the scheduler knowing of it; 512-byte commands of 8 HPUs */

struct ask {
	uint64_t from; /* when it can be let in */
	uint32_t l1, beats;
};

struct asker {
	struct ask *ask; /* a queue of those that wait */
	uint32_t first, count;
	uint64_t *leaves; /* when each of those let in makes room for another; a ring of copy_queue */
	uint32_t let_in;
	uint64_t written[BUFFERED]; /* when the writer began with each of the last ones */
	uint64_t writer_free;
	int rests; /* the last one was shorter than copy_gap */
};

/* One that was let in and is not known to have arrived. */
struct flight {
	uint64_t from, to; /* memory reads it */
	uint64_t done;
	unsigned cluster;
	uint32_t number; /* of its cluster's */
	int arrived;
};

struct copies {
	struct soc *soc;
	struct flight *flight; /* a ring, in the order in which they are read */
	uint32_t flights, first, count;
	struct asker *asker; /* per cluster */
	uint32_t room;       /* of their queues: a cluster has no more tasks */
	struct arbiter arbiter;
	uint64_t begun; /* when memory begins with the last that was let in */
	uint64_t next;  /* when another can be let in */
	struct alarm alarm;
};

static void delayed(void *arg, uint64_t cycle);

struct copies *copies__new(struct soc *soc)
{
	const struct pspin_target *target = soc->target;
	struct copies *copies = calloc(1, sizeof(*copies));

	if (!copies)
		return NULL;
	copies->soc = soc;
	copies->room = (uint32_t)target->hers_buffered + target__threads(target);
	copies->asker = calloc(target->clusters, sizeof(*copies->asker));
	copies->flights = copies->room * (uint32_t)target->clusters;
	copies->flight = calloc(copies->flights, sizeof(*copies->flight));
	alarm__open(&copies->alarm);
	for (unsigned i = 0; copies->asker && i < target->clusters; i++) {
		struct asker *asker = &copies->asker[i];

		asker->ask = calloc(copies->room, sizeof(*asker->ask));
		asker->leaves = calloc(target->copy_queue, sizeof(*asker->leaves));
		if (!asker->ask || !asker->leaves) {
			copies__free(copies);
			return NULL;
		}
	}
	if (!copies->asker || !copies->flight) {
		copies__free(copies);
		return NULL;
	}
	l2__tell(soc->l2, delayed, copies);
	return copies;
}

void copies__free(struct copies *copies)
{
	if (!copies)
		return;
	for (unsigned i = 0; copies->asker && i < copies->soc->target->clusters; i++) {
		free(copies->asker[i].ask);
		free(copies->asker[i].leaves);
	}
	free(copies->asker);
	free(copies->flight);
	free(copies);
}

/* The cycle from which on a cluster could be let in; UINT64_MAX: it has nothing. */
static uint64_t eligible(const struct copies *copies, const struct asker *asker)
{
	uint64_t leaves = asker->leaves[asker->let_in % copies->soc->target->copy_queue];

	if (!asker->count)
		return UINT64_MAX;
	return leaves > asker->ask[asker->first].from ? leaves : asker->ask[asker->first].from;
}

static struct flight *flight_at(struct copies *copies, uint32_t i)
{
	return &copies->flight[(copies->first + i) % copies->flights];
}

/* Another of its cluster is before it. */
static int is_behind(struct copies *copies, const struct flight *flight)
{
	for (uint32_t i = 0; flight_at(copies, i) != flight; i++)
		if (flight_at(copies, i)->cluster == flight->cluster && !flight_at(copies, i)->arrived)
			return 1;
	return 0;
}

static void arrived(void *arg, uint64_t cycle, uint64_t at)
{
	struct copies *copies = arg;
	struct flight *flight = &copies->flight[at];

	if (flight->done > cycle || is_behind(copies, flight)) {
		events__add(&copies->soc->events, flight->done > cycle ? flight->done : cycle + 1, arrived, copies, at);
		return;
	}
	flight->arrived = 1;
	while (copies->count && copies->flight[copies->first].arrived) {
		copies->first = (copies->first + 1) % copies->flights;
		copies->count--;
	}
	scheduler__copied(copies->soc->schedulers[flight->cluster], cycle);
}

/* It begins a cycle later. */
static void begin_later(struct copies *copies, struct flight *flight)
{
	struct asker *asker = &copies->asker[flight->cluster];

	copies->begun += copies->begun == flight->from;
	flight->from++;
	if (asker->let_in - flight->number <= copies->soc->target->copy_queue)
		asker->leaves[flight->number % copies->soc->target->copy_queue]++;
	if (asker->let_in - flight->number <= BUFFERED)
		asker->written[flight->number % BUFFERED]++;
}

/* An HPU's load is read in this cycle (RTL: loads of packet memory are not slowed by copies, whatever their number). */
static void delayed(void *arg, uint64_t cycle)
{
	struct copies *copies = arg;
	uint64_t end = cycle + 1;

	for (uint32_t i = 0; i < copies->count; i++) {
		struct flight *flight = flight_at(copies, i);

		if (flight->to <= cycle)
			continue;
		if (flight->from >= end)
			return;
		if (flight->from > cycle)
			begin_later(copies, flight);
		flight->done++;
		end = ++flight->to;
		if (copies->asker[flight->cluster].let_in - flight->number == 1)
			copies->asker[flight->cluster].writer_free++;
	}
}

/*
 * Beats are read as soon as memory has them, though no more than BUFFERED transfers ahead of the writer into L1, which takes
 * copy_gap for the shortest. One that comes just when it could have gone on finds it at rest, and waits a cycle more.
 */
static uint64_t write_from(struct asker *asker, uint64_t read, uint32_t beats, uint32_t gap)
{
	uint64_t from = read > asker->writer_free ? read : asker->writer_free + (read == asker->writer_free && asker->rests);

	asker->written[asker->let_in % BUFFERED] = from;
	asker->writer_free = from + (beats > gap ? beats : gap);
	asker->rests = beats < gap;
	return from;
}

static void let_in(struct copies *copies, uint64_t cycle, unsigned cluster)
{
	const struct pspin_target *target = copies->soc->target;
	struct asker *asker = &copies->asker[cluster];
	struct ask ask = asker->ask[asker->first];
	const uint64_t beat_cycles = target->copy_cycles > ANSWER_CYCLES ? target->copy_cycles - ANSWER_CYCLES : 0;
	uint64_t room = asker->let_in < BUFFERED ? 0 : asker->written[asker->let_in % BUFFERED] + 1;
	uint64_t read = l2__burst(copies->soc->l2, cycle > room ? cycle : room, ask.beats);
	uint64_t from = write_from(asker, read, ask.beats, (uint32_t)target->copy_gap), done;
	struct dma *dma = scheduler__dma(copies->soc->schedulers[cluster]);

	dma->free = (dma->free > read ? dma->free : read) + ask.beats; /* transfers of HPUs come behind it */
	asker->first = (asker->first + 1) % copies->room;
	asker->count--;
	asker->leaves[asker->let_in++ % target->copy_queue] = read + PLACE_CYCLES;
	/* one waits at memory behind the one that is read; behind one whose writer is busy nobody, whosever it is */
	copies->next = (room > cycle ? read : copies->begun > cycle ? copies->begun : cycle) + 1;
	copies->begun = read;
	done = from + (ask.beats < target->copy_beats ? target->copy_beats : ask.beats) + target->copy_cycles;
	/* its answer is on its way when the last one is written */
	for (uint32_t i = 0; i < ask.beats; i++)
		l1__beat(copies->soc->l1[cluster], from + i + beat_cycles, ask.l1 + i * (uint32_t)target->beat_bytes);
	*flight_at(copies, copies->count) = (struct flight){ read, read + ask.beats, done, cluster, asker->let_in - 1, 0 };
	events__add(&copies->soc->events, done, arrived, copies, (copies->first + copies->count++) % copies->flights);
}

static void step(void *arg, uint64_t cycle, uint64_t what);

/* The earliest cycle in which another can be let in. */
static void set(struct copies *copies, uint64_t cycle)
{
	uint64_t next = UINT64_MAX;

	for (unsigned i = 0; i < copies->soc->target->clusters; i++) {
		uint64_t from = eligible(copies, &copies->asker[i]);

		next = from < next ? from : next;
	}
	if (next == UINT64_MAX)
		return;
	if (next < copies->next)
		next = copies->next;
	alarm__set(&copies->alarm, &copies->soc->events, next > cycle ? next : cycle + 1, step, copies);
}

static void step(void *arg, uint64_t cycle, uint64_t what)
{
	struct copies *copies = arg;
	const unsigned clusters = (unsigned)copies->soc->target->clusters;
	uint64_t asks = 0;

	(void)what;
	if (!alarm__rings(&copies->alarm, cycle))
		return;
	for (unsigned i = 0; i < clusters; i++)
		if (eligible(copies, &copies->asker[i]) <= cycle)
			asks |= UINT64_C(1) << i;
	if (asks && cycle >= copies->next)
		let_in(copies, cycle, (unsigned)arbiter__grant(&copies->arbiter, clusters, asks, 1));
	set(copies, cycle);
}

void copies__ask(struct copies *copies, uint64_t cycle, unsigned cluster, uint32_t l1, uint32_t beats)
{
	struct asker *asker = &copies->asker[cluster];
	uint64_t launched = scheduler__dma(copies->soc->schedulers[cluster])->launched; /* one engine, in order */
	uint64_t from = launched > cycle + 1 ? launched : cycle + 1;

	asker->ask[(asker->first + asker->count++) % copies->room] = (struct ask){ from, l1, beats };
	set(copies, cycle);
}
