/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The ingress link; see ingress.h. Called by pspin__offer(), and by her_queue.c through device->on_room() when packet memory is
 * freed. Invariant: at most one arrival event counts, that of wire->coming.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hwmodel/nic/her_queue.h"
#include "hwmodel/nic/ingress.h"
#include "hwmodel/target/time.h"

struct offered {
	struct offered *next;
	uint64_t at_ps, number, message;
	int end_of_message;
	size_t bytes;
	uint8_t frame[];
};

static uint64_t beats(const struct pspin *nic, uint64_t bytes)
{
	return (bytes + nic->device->target.beat_bytes - 1) / nic->device->target.beat_bytes;
}

/*
 * Picoseconds that so many bytes take on the link, as a fraction. An ideal link has a beat in each cycle, as packet memory
 * has: there the packet takes its beats, with what of Ethernet's header lies before it.
 */
static uint64_t link_ps(const struct pspin *nic, uint64_t bytes, uint64_t stored_bytes, uint64_t *per)
{
	const struct pspin_target *target = &nic->device->target;

	*per = target->link_mbps ? target->link_mbps : target->clock_mhz;
	return (target->link_mbps ? bytes * 8 : beats(nic, stored_bytes)) * PS_PER_US;
}

/* The wire's time from `at_ps` on that the packet takes; what is left of a picosecond is the next one's. */
static void take_wire(struct pspin *nic, uint64_t at_ps, uint32_t bytes, uint32_t stored_bytes)
{
	struct wire *wire = &nic->device->wire;
	const uint64_t overhead = nic->device->target.link_overhead_bytes;
	uint64_t per, ps = link_ps(nic, bytes + overhead, stored_bytes + overhead, &per);

	if (at_ps != wire->free_ps)
		wire->rest = 0;
	ps += wire->rest;
	wire->free_ps = at_ps + ps / per;
	wire->rest = ps % per;
	wire->busy_ps += wire->free_ps - at_ps;
	if (wire->free_ps < at_ps + nic->device->target.link_gap_ps) {
		wire->free_ps = at_ps + nic->device->target.link_gap_ps;
		wire->rest = 0;
	}
}

/* When its last byte is in packet memory; packets do not overtake each other. */
static uint64_t stored_ps(struct pspin *nic, const struct flight *flight, uint64_t at_ps, uint32_t bytes, uint32_t stored_bytes)
{
	const struct pspin_target *target = &nic->device->target;
	uint64_t per, link = link_ps(nic, bytes, stored_bytes, &per), writes = time__ps(target, beats(nic, stored_bytes));

	link = (link + per - 1) / per;
	at_ps += (link > writes ? link : writes) + time__ps(target, target->store_cycles) +
		 (flight->is_matched ? target->match_next_ps : target->match_first_ps);
	if (at_ps < nic->device->wire.stored_ps)
		at_ps = nic->device->wire.stored_ps;
	nic->device->wire.stored_ps = at_ps;
	return at_ps;
}

static void come_next(struct device *device);

static void stored(void *arg, uint64_t cycle, uint64_t what)
{
	struct device *device = arg;
	struct flight *flight = device->flights.all[what];
	struct pspin *nic = flight->nic;

	(void)cycle;
	if (flight->record.fate == PSPIN_FATE_HANDLED) {
		hers__stored(nic, flight);
		return;
	}
	flight->record.her_ps = flight->record.feedback_ps = flight->record.stored_ps;
	if (flight->record.verdict == SPIN_VERDICT_PASS) {
		flight->record.left_ps = flight->record.stored_ps;
		memcpy(device->frame, flight->arrival.frame, flight->arrival.frame_bytes);
	}
	record__packet(nic, flight, flight->arrival.frame_bytes);
	hers__forget(nic, flight);
}

/* Its first byte comes. */
static void begin(struct pspin *nic, struct flight *flight, uint64_t at_ps)
{
	struct pspin_packet_record *record = &flight->record;
	struct device *device = nic->device;
	uint32_t stored_bytes = flight->stored_bytes > record->packet_bytes ? flight->stored_bytes : record->packet_bytes;

	record->arrived_ps = at_ps;
	take_wire(nic, at_ps, record->packet_bytes, stored_bytes);
	record->stored_ps = stored_ps(nic, flight, at_ps, record->packet_bytes, stored_bytes);
	if (!nic->traffic.packets++)
		nic->first_ps = at_ps;
	nic->traffic.bytes += record->packet_bytes;
	events__add(&device->soc.events, device->opened + time__cycle_from(&device->target, record->stored_ps), stored, device,
		    flight->index);
	come_next(device);
}

static struct flight *next_flight(struct pspin *nic)
{
	struct flight *flight = flights__take(&nic->device->flights);
	struct offered *offered = nic->line.first;

	if (!flight) {
		nic->journal.incomplete = 1;
		return NULL;
	}
	nic->line.first = offered->next;
	flight->nic = nic;
	flight->offered = offered;
	flight->arrival.frame = offered->frame;
	flight->arrival.frame_bytes = offered->bytes;
	flight->message = offered->message;
	flight->end_of_message = offered->end_of_message;
	flight->record.packet = nic->device->wire.next_packet++;
	flight->record.offered_ps = offered->at_ps;
	flight->record.wire_bytes = flight->record.packet_bytes = (uint32_t)offered->bytes;
	return flight;
}

/* A place in packet memory, of which each context has its part. */
static struct place *take_place(struct pspin *nic, uint32_t bytes)
{
	struct device *device = nic->device;
	struct place *place;

	if (device->count > 1 && nic->placed_bytes + bytes > device__packet_bytes(device))
		return NULL;
	place = places__take(&device->places, bytes, &nic->journal.incomplete);
	if (place)
		nic->placed_bytes += place__bytes(place);
	return place;
}

static void arrive(void *arg, uint64_t cycle, uint64_t what)
{
	struct device *device = arg;
	struct wire *wire = &device->wire;
	struct pspin *nic = wire->coming;
	struct flight *flight;
	uint32_t bytes;

	(void)cycle;
	if (what != wire->event)
		return;
	wire->coming = NULL;
	if (wire->due_ps < wire->free_ps) { /* one that was held back has come before it */
		come_next(device);
		return;
	}
	flight = next_flight(nic);
	if (!flight)
		return;
	bytes = flight->stored_bytes = nic->kind->classify(nic, flight);
	if (bytes)
		flight->place = take_place(nic, bytes);
	if (bytes && !flight->place && !wire->loses) {
		nic->line.held = flight;
		nic->line.due_ps = wire->due_ps;
		come_next(device);
		return;
	}
	if (bytes && !flight->place) {
		flight->record.fate = PSPIN_FATE_NO_BUFFER;
		flight->record.reason = SPIN_REASON_NO_HPU;
		flight->record.verdict = SPIN_VERDICT_DROP;
	}
	begin(nic, flight, wire->due_ps);
}

/* The context's packet that is held back comes, if there is room now. */
static void let_in(struct pspin *nic)
{
	struct flight *flight = nic->line.held;
	struct wire *wire = &nic->device->wire;
	uint64_t at_ps, now;

	if (!flight)
		return;
	flight->place = take_place(nic, nic->kind->classify(nic, flight));
	if (!flight->place)
		return;
	nic->line.held = NULL;
	now = record__now(nic);
	at_ps = now < nic->line.due_ps ? nic->line.due_ps : now;
	if (at_ps < wire->free_ps)
		at_ps = wire->free_ps;
	nic->traffic.held_back_ps += at_ps - nic->line.due_ps;
	begin(nic, flight, at_ps);
	soc__look(&nic->device->soc);
}

void wire__room(struct device *device)
{
	for (unsigned i = 0; i < device->count; i++)
		let_in(device->contexts[i]);
}

/* Of the contexts that nothing holds back, the one whose next packet was offered first. */
static struct pspin *next_line(const struct device *device)
{
	struct pspin *next = NULL;

	for (unsigned i = 0; i < device->count; i++) {
		struct pspin *nic = device->contexts[i];

		if (nic->line.first && !nic->line.held && (!next || nic->line.first->number < next->line.first->number))
			next = nic;
	}
	return next;
}

static void come_next(struct device *device)
{
	struct wire *wire = &device->wire;
	struct pspin *nic = next_line(device);
	uint64_t now, cycle, due;

	if (!nic)
		return;
	now = record__now(nic);
	due = nic->line.first->at_ps > wire->free_ps ? nic->line.first->at_ps : wire->free_ps;
	if (due < now) /* it is offered late */
		due = now;
	if (wire->coming && wire->due_ps <= due)
		return;
	wire->coming = nic;
	wire->due_ps = due;
	cycle = device->opened + time__cycle(&device->target, wire->due_ps);
	events__add(&device->soc.events, cycle < device->soc.now ? device->soc.now : cycle, arrive, device, ++wire->event);
	soc__look(&device->soc);
}

int wire__offer(struct pspin *nic, const struct pspin_offer *offer)
{
	struct wire *wire = &nic->device->wire;
	struct offered *offered;

	if (offer->frame_bytes > PSPIN_FRAME_BYTES_MAX || offer->frame_bytes > device__packet_bytes(nic->device))
		return -EINVAL;
	offered = malloc(sizeof(*offered) + offer->frame_bytes);
	if (!offered)
		return -ENOMEM;
	*offered = (struct offered){ .at_ps = offer->at_ps,
				     .number = wire->offered++,
				     .message = offer->message,
				     .end_of_message = offer->end_of_message,
				     .bytes = offer->frame_bytes };
	if (offer->frame_bytes)
		memcpy(offered->frame, offer->frame, offer->frame_bytes);
	if (nic->line.first)
		nic->line.last->next = offered;
	else
		nic->line.first = offered;
	nic->line.last = offered;
	come_next(nic->device);
	return 0;
}

void wire__close(struct pspin *nic)
{
	struct offered *offered;

	while ((offered = nic->line.first)) {
		nic->line.first = offered->next;
		free(offered);
	}
}
