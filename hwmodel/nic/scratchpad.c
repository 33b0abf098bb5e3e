/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Scratchpads lie in the home cluster's L1, in the part that images leave to them. More messages can be open than fit there: a
 * message with no packet in flight gives its place to another one, and its content waits until it has a place again. A NIC
 * would have more L1.
 */
#include <string.h>

#include "hwmodel/nic/slots.h"

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

/* The first from its own number on that nobody has, or nobody needs now; slots->places: none. */
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

void scratchpad__forget(struct pspin *nic, struct slot *slot)
{
	if (slot->place_at)
		nic->slots.owner[slot->home][place_of(nic, slot)] = NULL;
	slot->place_at = 0;
}
