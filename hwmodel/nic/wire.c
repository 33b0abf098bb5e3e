/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hers.h"
#include "time.h"
#include "wire.h"

struct offered {
	struct offered *next;
	uint64_t at_ps, message;
	int end_of_message;
	size_t bytes;
	uint8_t frame[];
};

static uint64_t beats(const struct pspin *nic, uint64_t bytes)
{
	return (bytes + nic->target.beat_bytes - 1) / nic->target.beat_bytes;
}

/*
 * Picoseconds that so many bytes take on the link, as a fraction. An ideal link has a beat in each cycle, as packet memory
 * has: there the packet takes its beats, with what of Ethernet's header lies before it.
 */
static uint64_t link_ps(const struct pspin *nic, uint64_t bytes, uint64_t stored_bytes, uint64_t *per)
{
	const struct pspin_target *target = &nic->target;

	*per = target->link_mbps ? target->link_mbps : target->clock_mhz;
	return (target->link_mbps ? bytes * 8 : beats(nic, stored_bytes)) * PS_PER_US;
}

/* The wire's time from `at_ps` on that the packet takes; what is left of a picosecond is the next one's. */
static void take_wire(struct pspin *nic, uint64_t at_ps, uint32_t bytes, uint32_t stored_bytes)
{
	struct wire *wire = &nic->wire;
	uint64_t per, ps = link_ps(nic, bytes + nic->target.link_overhead_bytes, stored_bytes + nic->target.link_overhead_bytes, &per);

	if (at_ps != wire->free_ps)
		wire->rest = 0;
	ps += wire->rest;
	wire->free_ps = at_ps + ps / per;
	wire->rest = ps % per;
	nic->traffic.link_in_ps += wire->free_ps - at_ps;
	if (wire->free_ps < at_ps + nic->target.link_gap_ps) {
		wire->free_ps = at_ps + nic->target.link_gap_ps;
		wire->rest = 0;
	}
}

/* When its last byte is in packet memory; packets do not overtake each other. */
static uint64_t stored_ps(struct pspin *nic, const struct flight *flight, uint64_t at_ps, uint32_t bytes, uint32_t stored_bytes)
{
	const struct pspin_target *target = &nic->target;
	uint64_t per, link = link_ps(nic, bytes, stored_bytes, &per), writes = time__ps(target, beats(nic, stored_bytes));

	link = (link + per - 1) / per;
	at_ps += (link > writes ? link : writes) + time__ps(target, target->store_cycles) +
		 (flight->is_matched ? target->match_next_ps : target->match_first_ps);
	if (at_ps < nic->wire.stored_ps)
		at_ps = nic->wire.stored_ps;
	nic->wire.stored_ps = at_ps;
	return at_ps;
}

static void come_next(struct pspin *nic);

static void stored(void *arg, uint64_t cycle, uint64_t what)
{
	struct pspin *nic = arg;
	struct flight *flight = nic->flights.all[what];

	(void)cycle;
	if (flight->record.fate == PSPIN_FATE_HANDLED) {
		hers__stored(nic, flight);
		return;
	}
	flight->record.her_ps = flight->record.feedback_ps = flight->record.stored_ps;
	if (flight->record.verdict == SPIN_VERDICT_PASS) {
		flight->record.left_ps = flight->record.stored_ps;
		memcpy(nic->frame, flight->arrival.frame, flight->arrival.frame_bytes);
	}
	record__packet(nic, flight, flight->arrival.frame_bytes);
	hers__forget(nic, flight);
}

/* Its first byte comes. */
static void begin(struct pspin *nic, struct flight *flight, uint64_t at_ps)
{
	struct pspin_packet_record *record = &flight->record;
	struct wire *wire = &nic->wire;
	uint32_t stored_bytes = flight->stored_bytes > record->packet_bytes ? flight->stored_bytes : record->packet_bytes;

	record->arrived_ps = at_ps;
	take_wire(nic, at_ps, record->packet_bytes, stored_bytes);
	record->stored_ps = stored_ps(nic, flight, at_ps, record->packet_bytes, stored_bytes);
	if (!nic->traffic.packets++)
		nic->first_ps = at_ps;
	nic->traffic.bytes += record->packet_bytes;
	events__add(&nic->soc.events, nic->opened + time__cycle_from(&nic->target, record->stored_ps), stored, nic,
		    flight->index);
	wire->is_coming = 0;
	come_next(nic);
}

static struct flight *next_flight(struct pspin *nic)
{
	struct flight *flight = flights__take(&nic->flights);
	struct offered *offered = nic->wire.first;

	if (!flight) {
		nic->journal.incomplete = 1;
		return NULL;
	}
	nic->wire.first = offered->next;
	flight->offered = offered;
	flight->arrival.frame = offered->frame;
	flight->arrival.frame_bytes = offered->bytes;
	flight->message = offered->message;
	flight->end_of_message = offered->end_of_message;
	flight->record.packet = nic->wire.next_packet++;
	flight->record.offered_ps = offered->at_ps;
	flight->record.wire_bytes = flight->record.packet_bytes = (uint32_t)offered->bytes;
	return flight;
}

static void arrive(void *arg, uint64_t cycle, uint64_t what)
{
	struct pspin *nic = arg;
	struct flight *flight = next_flight(nic);
	uint32_t bytes;

	(void)cycle;
	(void)what;
	if (!flight)
		return;
	bytes = flight->stored_bytes = nic->kind->classify(nic, flight);
	if (bytes)
		flight->place = places__take(&nic->places, bytes, &nic->journal.incomplete);
	if (bytes && !flight->place && !nic->wire.loses) {
		nic->wire.held = flight;
		return;
	}
	if (bytes && !flight->place) {
		flight->record.fate = PSPIN_FATE_NO_BUFFER;
		flight->record.reason = SPIN_REASON_NO_HPU;
		flight->record.verdict = SPIN_VERDICT_DROP;
	}
	begin(nic, flight, nic->wire.due_ps);
}

void wire__room(struct pspin *nic)
{
	struct wire *wire = &nic->wire;
	struct flight *flight = wire->held;
	uint64_t now;

	if (!flight)
		return;
	flight->place = places__take(&nic->places, nic->kind->classify(nic, flight), &nic->journal.incomplete);
	if (!flight->place)
		return;
	wire->held = NULL;
	now = record__now(nic);
	if (now < wire->due_ps)
		now = wire->due_ps;
	nic->traffic.held_back_ps += now - wire->due_ps;
	begin(nic, flight, now);
	soc__look(&nic->soc);
}

static void come_next(struct pspin *nic)
{
	struct wire *wire = &nic->wire;
	uint64_t now = record__now(nic), cycle;

	if (wire->is_coming || !wire->first)
		return;
	wire->is_coming = 1;
	wire->due_ps = wire->first->at_ps > wire->free_ps ? wire->first->at_ps : wire->free_ps;
	if (wire->due_ps < now) /* it is offered late */
		wire->due_ps = now;
	cycle = nic->opened + time__cycle(&nic->target, wire->due_ps);
	events__add(&nic->soc.events, cycle < nic->soc.now ? nic->soc.now : cycle, arrive, nic, 0);
	soc__look(&nic->soc);
}

int wire__offer(struct pspin *nic, const struct pspin_offer *offer)
{
	struct wire *wire = &nic->wire;
	struct offered *offered;

	if (offer->frame_bytes > PSPIN_FRAME_BYTES_MAX || offer->frame_bytes > nic->soc.memory.l2_packet_bytes)
		return -EINVAL;
	offered = malloc(sizeof(*offered) + offer->frame_bytes);
	if (!offered)
		return -ENOMEM;
	*offered = (struct offered){.at_ps = offer->at_ps, .message = offer->message,
				    .end_of_message = offer->end_of_message, .bytes = offer->frame_bytes};
	if (offer->frame_bytes)
		memcpy(offered->frame, offer->frame, offer->frame_bytes);
	if (wire->first)
		wire->last->next = offered;
	else
		wire->first = offered;
	wire->last = offered;
	come_next(nic);
	return 0;
}

void wire__close(struct pspin *nic)
{
	struct offered *offered;

	while ((offered = nic->wire.first)) {
		nic->wire.first = offered->next;
		free(offered);
	}
}
