/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "hwmodel/soc/ring.h"

#define SLOT_BYTES 64u

struct ring {
	uint8_t *taken;      /* per slot */
	uint32_t head, tail; /* from the oldest slot in use to behind the youngest; equal: empty or full */
	uint32_t used;       /* slots in use, and those given back behind one in use */
};

struct back {
	uint64_t cycle;
	uint32_t slot, slots;
};

struct rings {
	uint32_t count, slots; /* of each */
	struct ring *ring;
	struct back *back; /* a queue of what is on its way back */
	uint32_t back_first, back_count, back_room;
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
		rings->back_room = count * slots + 1;
		rings->ring = calloc(count, sizeof(*rings->ring));
		rings->back = calloc(rings->back_room, sizeof(*rings->back));
	}
	if (!rings || !taken || !rings->ring || !rings->back) {
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
	free(rings->back);
	free(rings);
}

/* The slot where so many fit; -1: nowhere. */
static int64_t place(const struct rings *rings, const struct ring *ring, uint32_t slots)
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

static void put(const struct rings *rings, struct ring *ring, uint32_t at, uint32_t slots)
{
	if (!ring->used) {
		ring->head = 0;
		ring->tail = 0;
	}
	if (at < ring->tail) { /* what is left before the end waits until the head has passed it */
		ring->used += rings->slots - ring->tail;
		ring->tail = 0;
	}
	memset(ring->taken + at, 1, slots);
	ring->tail += slots;
	ring->used += slots;
	if (ring->tail == rings->slots && ring->head)
		ring->tail = 0;
}

static void arrive(struct rings *rings, uint64_t cycle)
{
	while (rings->back_count && rings->back[rings->back_first].cycle + RING_BACK_CYCLES <= cycle) {
		const struct back *back = &rings->back[rings->back_first];
		struct ring *ring = &rings->ring[back->slot / rings->slots];

		memset(ring->taken + back->slot % rings->slots, 0, back->slots);
		while (ring->used && !ring->taken[ring->head]) {
			ring->head = (ring->head + 1) % rings->slots;
			ring->used--;
		}
		if (ring->used && ring->tail == rings->slots)
			ring->tail = 0;
		rings->back_first = (rings->back_first + 1) % rings->back_room;
		rings->back_count--;
	}
}

int64_t rings__take(struct rings *rings, uint64_t cycle, uint32_t bytes)
{
	uint32_t slots = slots_of(bytes);

	arrive(rings, cycle);
	for (uint32_t i = 0; i < rings->count; i++) {
		int64_t at = place(rings, &rings->ring[i], slots);

		if (at < 0)
			continue;
		put(rings, &rings->ring[i], (uint32_t)at, slots);
		return ((int64_t)i * rings->slots + at) * SLOT_BYTES;
	}
	return -1;
}

void rings__give_back(struct rings *rings, uint64_t cycle, uint32_t offset, uint32_t bytes)
{
	rings->back[(rings->back_first + rings->back_count++) % rings->back_room] =
		(struct back){ cycle, offset / SLOT_BYTES, slots_of(bytes) };
}
