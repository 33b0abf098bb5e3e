/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Timing of packet copies: the packet buffer of a cluster's L1 and the engine that copies packets there from L2 (copies.h). Called by the
 * cluster schedulers, which are told of a copy's end through soc->up->on_copied().
 */
#include <stdlib.h>
#include <string.h>

#include "hwmodel/soc/arbiter.h"
#include "hwmodel/soc/copies.h"
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/l2.h"
#include "hwmodel/soc/timing.h"

/* --- the packet buffer --- */

#define SLOT_BYTES 64u

struct ring {
	uint8_t *taken;      /* per slot; 1: in use */
	uint32_t head, tail; /* from the oldest slot in use to after the youngest; equal: empty or full */
	uint32_t used;       /* slots in use, and free ones after one in use */
};

struct pending_free {
	uint64_t cycle;
	uint32_t slot, slots;
};

struct rings {
	uint32_t count, slots; /* slots: per ring */
	struct ring *ring;
	struct pending_free *pending_free; /* a queue of slots that are being freed */
	uint32_t free_first, free_count, free_room;
};

static uint32_t slots_of(uint32_t bytes)
{
	return (bytes + SLOT_BYTES - 1) / SLOT_BYTES;
}

struct rings *rings__new(const struct pspin_target *target)
{
	uint32_t count = (uint32_t)target->l1_rings, slots = (uint32_t)(target->l1_packet_kib * 1024 / SLOT_BYTES / count);
	struct rings *rings = calloc(1, sizeof(*rings));
	uint8_t *taken = calloc(count * slots + 1, 1);

	if (rings) {
		rings->count = count;
		rings->slots = slots;
		rings->free_room = count * slots + 1;
		rings->ring = calloc(count, sizeof(*rings->ring));
		rings->pending_free = calloc(rings->free_room, sizeof(*rings->pending_free));
	}
	if (!rings || !taken || !rings->ring || !rings->pending_free) {
		free(taken);
		rings__free(rings);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		rings->ring[i].taken = taken + i * slots;
	return rings;
}

void rings__free(struct rings *rings)
{
	if (!rings)
		return;
	if (rings->ring)
		free(rings->ring[0].taken);
	free(rings->ring);
	free(rings->pending_free);
	free(rings);
}

/* Returns the slot at which `slots` contiguous ones fit; -1 if none. */
static int64_t find_slots(const struct rings *rings, const struct ring *ring, uint32_t slots)
{
	if (!ring->used)
		return slots <= rings->slots ? 0 : -1;
	if (ring->head < ring->tail) {
		if (slots <= rings->slots - ring->tail)
			return ring->tail;
		return slots <= ring->head ? 0 : -1;
	}
	return slots <= ring->head - ring->tail ? (int64_t)ring->tail : -1;
}

/* Takes `slots` slots of a ring from `at` on, which must be where they fit. */
static void mark_taken(const struct rings *rings, struct ring *ring, uint32_t at, uint32_t slots)
{
	if (!ring->used) {
		ring->head = 0;
		ring->tail = 0;
	}
	if (at < ring->tail) { /* the slots up to the ring's end stay unused until the head has passed them */
		ring->used += rings->slots - ring->tail;
		ring->tail = 0;
	}
	memset(ring->taken + at, 1, slots);
	ring->tail += slots;
	ring->used += slots;
	if (ring->tail == rings->slots && ring->head)
		ring->tail = 0;
}

/* Makes slots usable whose packets have left. A ring's head only passes slots that are free. */
static void complete_frees(struct rings *rings, uint64_t cycle)
{
	while (rings->free_count && rings->pending_free[rings->free_first].cycle + RING_BACK_CYCLES <= cycle) {
		const struct pending_free *pending_free = &rings->pending_free[rings->free_first];
		struct ring *ring = &rings->ring[pending_free->slot / rings->slots];

		memset(ring->taken + pending_free->slot % rings->slots, 0, pending_free->slots);
		while (ring->used && !ring->taken[ring->head]) {
			ring->head = (ring->head + 1) % rings->slots;
			ring->used--;
		}
		if (ring->used && ring->tail == rings->slots)
			ring->tail = 0;
		rings->free_first = (rings->free_first + 1) % rings->free_room;
		rings->free_count--;
	}
}

int64_t rings__take(struct rings *rings, uint64_t cycle, uint32_t bytes)
{
	uint32_t slots = slots_of(bytes);

	complete_frees(rings, cycle);
	for (uint32_t i = 0; i < rings->count; i++) {
		int64_t at = find_slots(rings, &rings->ring[i], slots);

		if (at < 0)
			continue;
		mark_taken(rings, &rings->ring[i], (uint32_t)at, slots);
		return ((int64_t)i * rings->slots + at) * SLOT_BYTES;
	}
	return -1;
}

void rings__give_back(struct rings *rings, uint64_t cycle, uint32_t offset, uint32_t bytes)
{
	rings->pending_free[(rings->free_first + rings->free_count++) % rings->free_room] =
		(struct pending_free){ cycle, offset / SLOT_BYTES, slots_of(bytes) };
}

/* --- the copies --- */

struct copy_request {
	uint64_t from; /* when it can be admitted */
	uint32_t l2, l1, beats;
};

struct requester {
	struct copy_request *copy_request; /* a queue of waiting requests */
	uint32_t first, count;
	uint64_t *leaves; /* when each admitted copy makes room for another; a ring of copy_queue entries */
	uint32_t admitted;
	uint64_t written[COPY_BUFFERED]; /* when the writer began each of the last copies */
	uint64_t writer_free;
	int writer_idles; /* the last copy was shorter than copy_gap */
};

/* A copy that was admitted and has not arrived. */
struct in_flight {
	uint64_t from, to; /* cycles in which memory reads it */
	uint64_t done;
	unsigned cluster;
	uint32_t number; /* number among its cluster's copies */
	int arrived;
};

struct copies {
	struct soc *soc;
	struct in_flight *in_flight; /* a ring, in the order of reading */
	uint32_t in_flight_max, first, count;
	struct requester *requester; /* per cluster */
	uint32_t room;               /* length of each requester's queue: the most tasks that a cluster has */
	struct arbiter arbiter;
	uint64_t read_start; /* when memory begins to read the copy admitted last */
	uint64_t next;       /* when another copy can be admitted */
	struct wakeup wakeup;
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
	copies->requester = calloc(target->clusters, sizeof(*copies->requester));
	copies->in_flight_max = copies->room * (uint32_t)target->clusters;
	copies->in_flight = calloc(copies->in_flight_max, sizeof(*copies->in_flight));
	wakeup__init(&copies->wakeup);
	for (unsigned i = 0; copies->requester && i < target->clusters; i++) {
		struct requester *requester = &copies->requester[i];

		requester->copy_request = calloc(copies->room, sizeof(*requester->copy_request));
		requester->leaves = calloc(target->copy_queue, sizeof(*requester->leaves));
		if (!requester->copy_request || !requester->leaves) {
			copies__free(copies);
			return NULL;
		}
	}
	if (!copies->requester || !copies->in_flight) {
		copies__free(copies);
		return NULL;
	}
	l2__on_delay(soc->l2, delayed, copies);
	return copies;
}

void copies__free(struct copies *copies)
{
	if (!copies)
		return;
	for (unsigned i = 0; copies->requester && i < copies->soc->target->clusters; i++) {
		free(copies->requester[i].copy_request);
		free(copies->requester[i].leaves);
	}
	free(copies->requester);
	free(copies->in_flight);
	free(copies);
}

/* Returns the cycle from which a cluster's next copy can be admitted; UINT64_MAX if it has none. */
static uint64_t eligible(const struct copies *copies, const struct requester *requester)
{
	uint64_t leaves = requester->leaves[requester->admitted % copies->soc->target->copy_queue];

	if (!requester->count)
		return UINT64_MAX;
	return leaves > requester->copy_request[requester->first].from ? leaves : requester->copy_request[requester->first].from;
}

static struct in_flight *in_flight_at(struct copies *copies, uint32_t i)
{
	return &copies->in_flight[(copies->first + i) % copies->in_flight_max];
}

/* Is an earlier copy of its cluster still in flight? */
static int is_behind(struct copies *copies, const struct in_flight *in_flight)
{
	for (uint32_t i = 0; in_flight_at(copies, i) != in_flight; i++)
		if (in_flight_at(copies, i)->cluster == in_flight->cluster && !in_flight_at(copies, i)->arrived)
			return 1;
	return 0;
}

/* Event: a copy is complete, unless an earlier one of its cluster is not. */
static void copy_arrived(void *arg, uint64_t cycle, uint64_t at)
{
	struct copies *copies = arg;
	struct in_flight *in_flight = &copies->in_flight[at];

	if (in_flight->done > cycle || is_behind(copies, in_flight)) {
		events__add(&copies->soc->events, in_flight->done > cycle ? in_flight->done : cycle + 1, copy_arrived, copies, at);
		return;
	}
	in_flight->arrived = 1;
	while (copies->count && copies->in_flight[copies->first].arrived) {
		copies->first = (copies->first + 1) % copies->in_flight_max;
		copies->count--;
	}
	copies->soc->up->on_copied(copies->soc, in_flight->cluster, cycle);
}

/* A copy that has not begun begins a cycle later. */
static void delay(struct copies *copies, struct in_flight *in_flight)
{
	struct requester *requester = &copies->requester[in_flight->cluster];

	copies->read_start += copies->read_start == in_flight->from;
	in_flight->from++;
	if (requester->admitted - in_flight->number <= copies->soc->target->copy_queue)
		requester->leaves[in_flight->number % copies->soc->target->copy_queue]++;
	if (requester->admitted - in_flight->number <= COPY_BUFFERED)
		requester->written[in_flight->number % COPY_BUFFERED]++;
}

/* Called when an HPU's load is read in this cycle: beats behind it move (RTL: copies never slow loads of packet memory). */
static void delayed(void *arg, uint64_t cycle)
{
	struct copies *copies = arg;
	uint64_t end = cycle + 1;

	for (uint32_t i = 0; i < copies->count; i++) {
		struct in_flight *in_flight = in_flight_at(copies, i);

		if (in_flight->to <= cycle)
			continue;
		if (in_flight->from >= end)
			return;
		if (in_flight->from > cycle)
			delay(copies, in_flight);
		in_flight->done++;
		end = ++in_flight->to;
		if (copies->requester[in_flight->cluster].admitted - in_flight->number == 1)
			copies->requester[in_flight->cluster].writer_free++;
	}
}

/*
 * Returns when the writer into L1 begins. Beats are read as soon as memory has them, but at most COPY_BUFFERED transfers ahead of the
 * writer. A transfer that arrives exactly when the writer becomes free finds it at rest, and waits one cycle more.
 */
static uint64_t write_from(struct requester *requester, uint64_t read)
{
	uint64_t from =
		read > requester->writer_free ? read : requester->writer_free + (read == requester->writer_free && requester->writer_idles);

	requester->written[requester->admitted % COPY_BUFFERED] = from;
	return from;
}

/*
 * Writes the beats into L1. The writer needs at least copy_gap for a transfer, or a part of one. Beats of commands go first: of the
 * host's DMA on the RTL (bodies of copy_from_host), A: also of sends. Returns by how many cycles the last beat is late.
 */
static uint64_t write_beats(struct copies *copies, unsigned cluster, const struct copy_request *request, uint64_t from)
{
	const struct pspin_target *target = copies->soc->target;
	const uint32_t line = (uint32_t)target->beat_bytes, gap = (uint32_t)target->copy_gap;
	const struct parts parts = pages__split(request->l1, request->beats, line);
	const uint64_t way = target->copy_cycles > COPY_ANSWER_CYCLES ? target->copy_cycles - COPY_ANSWER_CYCLES : 0;
	const uint32_t last = parts.last ? parts.last : request->beats;
	struct requester *requester = &copies->requester[cluster];
	uint64_t at = from + way; /* answer: in flight when the last beat is written */

	for (uint32_t i = 0; i < request->beats; i++) {
		if (i == parts.first)
			at += pages__short_of(parts.first, gap);
		at = l1__reserve_next_beat(copies->soc->l1[cluster], at, request->l1 + i * line) + 1;
	}
	requester->writer_free = at - way + pages__short_of(last, gap);
	requester->writer_idles = last < gap;
	return at - way - from - request->beats;
}

/* Admits a cluster's first copy to the read port, and computes when it is read, written and complete. */
static void admit(struct copies *copies, uint64_t cycle, unsigned cluster)
{
	const struct pspin_target *target = copies->soc->target;
	struct requester *requester = &copies->requester[cluster];
	const struct copy_request copy_request = requester->copy_request[requester->first];
	const uint32_t beats = copy_request.beats;
	const struct parts reads = pages__split(copy_request.l2, beats, (uint32_t)target->beat_bytes);
	const uint64_t room = requester->admitted < COPY_BUFFERED ? 0 : requester->written[requester->admitted % COPY_BUFFERED] + 1;
	struct dma *dma = &copies->soc->dmas[cluster];
	const uint64_t read = l2__read(copies->soc->l2, dma, MEMORY_L2_PACKET, reads, cycle > room ? cycle : room, beats);
	const uint64_t from = write_from(requester, read), late = write_beats(copies, cluster, &copy_request, from);
	const uint64_t done = from + late + (beats < target->copy_beats ? target->copy_beats : beats) + target->copy_cycles;

	dma->free = (dma->free > read ? dma->free : read) + beats; /* transfers of HPUs follow it */
	requester->first = (requester->first + 1) % copies->room;
	requester->count--;
	requester->leaves[requester->admitted++ % target->copy_queue] = read + COPY_PLACE_CYCLES;
	/* one copy waits at memory behind the one being read; behind one whose writer is busy no copy of any cluster is admitted */
	copies->next = (room > cycle ? read : copies->read_start > cycle ? copies->read_start : cycle) + 1;
	copies->read_start = read;
	*in_flight_at(copies, copies->count) = (struct in_flight){ read, read + beats, done, cluster, requester->admitted - 1, 0 };
	events__add(&copies->soc->events, done, copy_arrived, copies, (copies->first + copies->count++) % copies->in_flight_max);
}

static void step(void *arg, uint64_t cycle, uint64_t what);

/* Sets the wake-up to the earliest cycle in which another copy can be admitted. */
static void set_wakeup(struct copies *copies, uint64_t cycle)
{
	uint64_t next = UINT64_MAX;

	for (unsigned i = 0; i < copies->soc->target->clusters; i++) {
		uint64_t from = eligible(copies, &copies->requester[i]);

		next = from < next ? from : next;
	}
	if (next == UINT64_MAX)
		return;
	if (next < copies->next)
		next = copies->next;
	wakeup__set(&copies->wakeup, &copies->soc->events, next > cycle ? next : cycle + 1, step, copies);
}

/* Event: one cycle of the arbiter between the clusters. */
static void step(void *arg, uint64_t cycle, uint64_t what)
{
	struct copies *copies = arg;
	const unsigned clusters = (unsigned)copies->soc->target->clusters;
	uint64_t requests = 0;

	(void)what;
	if (!wakeup__is_first(&copies->wakeup, cycle))
		return;
	for (unsigned i = 0; i < clusters; i++)
		if (eligible(copies, &copies->requester[i]) <= cycle)
			requests |= UINT64_C(1) << i;
	if (requests && cycle >= copies->next)
		admit(copies, cycle, (unsigned)arbiter__grant(&copies->arbiter, clusters, requests, 1));
	set_wakeup(copies, cycle);
}

void copies__admit_all(struct copies *copies, uint64_t cycle, unsigned cluster)
{
	const struct requester *requester = &copies->requester[cluster];

	while (requester->count) {
		const uint64_t from = eligible(copies, requester), at = from > copies->next ? from : copies->next;

		admit(copies, at > cycle ? at : cycle, cluster);
	}
}

void copies__request(struct copies *copies, uint64_t cycle, unsigned cluster, uint32_t l2, uint32_t l1, uint32_t beats)
{
	struct requester *requester = &copies->requester[cluster];
	uint64_t launched = copies->soc->dmas[cluster].launched; /* one engine, in order */
	uint64_t from = launched > cycle + 1 ? launched : cycle + 1;

	requester->copy_request[(requester->first + requester->count++) % copies->room] = (struct copy_request){ from, l2, l1, beats };
	set_wakeup(copies, cycle);
}
