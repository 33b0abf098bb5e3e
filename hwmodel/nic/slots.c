/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Assigns slots to messages. A slot is an MPQ (message processing queue) of the modelled SoC with a scratchpad, the memory of one message.
 * Called by each kind of context when a message begins and ends, and by her_queue.c before a HER (a request to run handlers) goes to the
 * SoC.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spin/target/rv32_entry.h>

#include "hwmodel/nic/slots.h"

/*
 * --- scratchpads ---
 *
 * They are in the home cluster's L1, in the part that images leave free. More messages can be open than fit there. A message without a
 * packet in flight then loses its place to another one, and its content is kept in host memory until it has a place again. A real NIC
 * would have more L1.
 */

static uint8_t *l1_of(struct pspin *nic, const struct slot *slot)
{
	return nic->memory->l1[slot->home];
}

struct hpu_scratch *scratchpad__of(struct pspin *nic, struct slot *slot)
{
	return (struct hpu_scratch *)(slot->place_at ? l1_of(nic, slot) + slot->place_at : slot->scratch);
}

static unsigned place_of(struct pspin *nic, const struct slot *slot)
{
	return (slot->place_at - nic->memory->l1_scratchpads) / nic->slots.scratch_bytes;
}

/* Returns the first place, from the slot's own number on, that is free or whose owner has no packet in flight; slots->places: none. */
static unsigned find_place(const struct slots *slots, const struct slot *slot)
{
	for (unsigned i = 0; i < slots->places; i++) {
		unsigned place = (slot->number + i) % slots->places;
		const struct slot *owner = slots->owner[slot->home][place];

		if (!owner || !owner->in_flight)
			return place;
	}
	return slots->places;
}

int scratchpad__hold(struct pspin *nic, struct slot *slot)
{
	struct slots *slots = &nic->slots;
	unsigned place;
	uint8_t *at;

	if (slot->place_at)
		return 1;
	place = find_place(slots, slot);
	if (place == slots->places)
		return 0;
	at = l1_of(nic, slot) + nic->memory->l1_scratchpads + place * slots->scratch_bytes;
	if (slots->owner[slot->home][place]) {
		memcpy(slots->owner[slot->home][place]->scratch, at, slots->scratch_bytes);
		slots->owner[slot->home][place]->place_at = 0;
	}
	memcpy(at, slot->scratch, slots->scratch_bytes);
	slots->owner[slot->home][place] = slot;
	slot->place_at = slot->context.scratchpad = nic->memory->l1_scratchpads + place * slots->scratch_bytes;
	return 1;
}

static void scratchpad__release(struct pspin *nic, struct slot *slot)
{
	if (slot->place_at)
		nic->slots.owner[slot->home][place_of(nic, slot)] = NULL;
	slot->place_at = 0;
}

/* --- slots --- */

#define SCRATCH_END (SPIN_ENTRY_BLOCKS - L1_GLOBAL) /* offset in L1; data of images follows */
#define WORD_BITS   64u

static unsigned words(const struct slots *slots)
{
	return (slots->per_home + WORD_BITS - 1) / WORD_BITS;
}

int slots__open(struct pspin *nic, unsigned per_home, uint32_t scratch_bytes)
{
	const unsigned clusters = (unsigned)nic->device->target.clusters;
	uint32_t end = nic->device->target.l1_kib * 1024 < SCRATCH_END ? (uint32_t)nic->device->target.l1_kib * 1024 : SCRATCH_END;
	uint32_t from = nic->memory->l1_scratchpads;
	struct slots *slots = &nic->slots;
	const unsigned contexts = nic->device->count;
	unsigned ids = ((unsigned)nic->device->target.mpqs + clusters - 1) / clusters;
	int missing = 0;

	nic->wanted_per_home = per_home;
	if (!nic->messages && per_home > contexts) /* each context has its part of the target's MPQs */
		per_home /= contexts;
	end -= (contexts - 1) * SPIN_MES_MAX * (uint32_t)sizeof(struct spin_entry_block);
	slots->homes = clusters < HPU_SCRATCHPADS ? clusters : HPU_SCRATCHPADS;
	if (nic->meta.registration.state_placement == SPIN_STATE_IN_L1)
		slots->homes = 1;
	slots->homes_in_use = slots->homes;
	slots->per_home = per_home;
	slots->ids_per_home = ids > contexts ? ids / contexts : 1;
	slots->scratch_bytes = scratch_bytes;
	slots->places = !scratch_bytes || nic->device->soc.third_party_image ? per_home
			: end > from                                         ? (end - from) / contexts / scratch_bytes
									     : 0;
	if (!per_home || !slots->places || (uint64_t)per_home * contexts * clusters > SOC_MESSAGES)
		return -EINVAL;
	slots->all = calloc((size_t)slots->homes * per_home, sizeof(*slots->all));
	slots->scratch_memory = calloc((size_t)slots->homes * per_home, scratch_bytes + 1u);
	missing |= !slots->all || !slots->scratch_memory;
	for (unsigned home = 0; home < slots->homes; home++) {
		missing |= !(slots->taken[home] = calloc(words(slots), sizeof(*slots->taken[home])));
		missing |= !(slots->owner[home] = calloc(slots->places, sizeof(struct slot *)));
	}
	if (missing)
		return -ENOMEM;
	for (unsigned i = 0; i < slots->homes * per_home; i++) {
		struct slot *slot = &slots->all[i];

		slot->home = i / per_home;
		slot->number = i % per_home;
		slot->id = (slot->number * contexts + nic->number) * clusters + slot->home;
		slot->scratch = slots->scratch_memory + (size_t)i * scratch_bytes;
	}
	return 0;
}

void slots__close(struct pspin *nic)
{
	struct slots *slots = &nic->slots;

	for (unsigned home = 0; home < HPU_SCRATCHPADS; home++) {
		free(slots->taken[home]);
		free(slots->owner[home]);
	}
	free(slots->all);
	free(slots->scratch_memory);
	*slots = (struct slots){ 0 };
}

/* Returns per_home if none is free. */
static unsigned first_free(const struct slots *slots, unsigned home)
{
	for (unsigned word = 0; word < words(slots); word++) {
		uint64_t free = ~slots->taken[home][word];
		unsigned number = word * WORD_BITS + (free ? (unsigned)__builtin_ctzll(free) : WORD_BITS);

		if (free)
			return number < slots->per_home ? number : slots->per_home;
	}
	return slots->per_home;
}

/* Takes a free slot, with its scratchpad zeroed. */
static struct slot *take_slot(struct pspin *nic, unsigned home, unsigned number)
{
	struct slots *slots = &nic->slots;
	struct slot *slot = &slots->all[home * slots->per_home + number];

	slots->taken[home][number / WORD_BITS] |= 1ull << (number % WORD_BITS);
	if (++slots->taken_count > slots->taken_peak)
		slots->taken_peak = slots->taken_count;
	slot->is_taken = 1;
	slot->is_ending = 0;
	slot->in_flight = 0;
	slot->mpq = NULL;
	memset(slot->scratch, 0, slots->scratch_bytes);
	return slot;
}

static int is_free(const struct slots *slots, unsigned home, unsigned number)
{
	return !(slots->taken[home][number / WORD_BITS] >> (number % WORD_BITS) & 1);
}

/* Returns the id whose turn it is, counted over the homes. Messages beyond the target's ids get higher ids. */
static unsigned next_id(const struct slots *slots)
{
	unsigned per_home = slots->ids_per_home < slots->per_home ? slots->ids_per_home : slots->per_home;

	return slots->turn % (per_home * slots->homes_in_use);
}

int slots__has_id(const struct pspin *nic)
{
	const struct slots *slots = &nic->slots;
	unsigned id = next_id(slots);

	if (nic->ids_in_turn)
		return is_free(slots, id % slots->homes_in_use, id / slots->homes_in_use);
	return slots->taken_count < slots->ids_per_home * slots->homes_in_use;
}

static struct slot *take_next_id(struct pspin *nic)
{
	struct slots *slots = &nic->slots;
	unsigned id = next_id(slots);

	slots->turn = id + 1;
	return take_slot(nic, id % slots->homes_in_use, id / slots->homes_in_use);
}

struct slot *slots__alloc(struct pspin *nic)
{
	struct slots *slots = &nic->slots;
	unsigned best = slots->per_home, best_home = 0;

	if (nic->ids_in_turn && slots__has_id(nic))
		return take_next_id(nic);
	for (unsigned home = 0; home < slots->homes_in_use; home++) {
		unsigned number = first_free(slots, home);

		if (number == slots->per_home || (best != slots->per_home && slots->in_flight[home] >= slots->in_flight[best_home]))
			continue;
		best = number;
		best_home = home;
	}
	return best == slots->per_home ? NULL : take_slot(nic, best_home, best);
}

struct slot *slots__alloc_number(struct pspin *nic, uint64_t number)
{
	struct slots *slots = &nic->slots;
	const unsigned clusters = (unsigned)nic->device->target.clusters;
	unsigned home = (unsigned)(number % clusters);

	number = number / clusters % slots->per_home;
	if (home >= slots->homes_in_use || !is_free(slots, home, (unsigned)number))
		return NULL;
	return take_slot(nic, home, (unsigned)number);
}

void slot__free(struct pspin *nic, struct slot *slot)
{
	struct slots *slots = &nic->slots;

	scratchpad__release(nic, slot);
	slots->taken[slot->home][slot->number / WORD_BITS] &= ~(1ull << (slot->number % WORD_BITS));
	slots->taken_count--;
	slots->ending_count -= (unsigned)slot->is_ending;
	slot->is_taken = 0;
	slot->mpq = NULL;
}

struct slot *slots__find(const struct pspin *nic, uint32_t id)
{
	const unsigned clusters = (unsigned)nic->device->target.clusters;

	return &nic->slots.all[id % clusters * nic->slots.per_home + id / clusters / nic->device->count];
}

void slot__describe(struct pspin *nic, struct slot *slot, int is_ip4, uint64_t host_mem, uint32_t host_bytes)
{
	const struct spin_registration *registration = &nic->meta.registration;

	slot->context = (struct soc_context){
		.header = registration->header ? nic->entry[NIC_HEADER][is_ip4] : 0,
		.payload = nic->entry[registration->payload ? NIC_PAYLOAD : NIC_PROCEED][is_ip4],
		.completion = registration->completion || registration->message_completion ? nic->completion : 0,
		.handler_mem = L2_STATE,
		.handler_mem_bytes = L2_STATE_BYTES,
		.host_mem = host_mem,
		.host_mem_bytes = host_bytes,
		.scratchpad_bytes = nic->slots.scratch_bytes,
		.bytes_in_l1 = registration->bytes_in_l1 == SPIN_WHOLE_PACKET ? UINT32_MAX : registration->bytes_in_l1,
		.program = nic->number,
		.watchdog_cycles = nic->watchdog_cycles,
	};
}
