/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The ingress link of the modelled NIC: packets arrive one after the other, at the speed of the link, and are lost or held back if packet
 * memory is full (ingress.h). Called by pspin__offer(), and by her_queue.c through device->on_room() when packet memory is freed.
 * Invariant: at most one arrival event is valid, the one with number link->event.
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
 * Returns the picoseconds that the bytes take on the link, as a fraction over *denominator. An ideal link has one beat per cycle, like
 * packet memory: a packet takes its beats there, including the header bytes stored in front of it.
 */
static uint64_t link_ps(const struct pspin *nic, uint64_t bytes, uint64_t stored_bytes, uint64_t *denominator)
{
	const struct pspin_target *target = &nic->device->target;

	*denominator = target->link_mbps ? target->link_mbps : target->clock_mhz;
	return (target->link_mbps ? bytes * 8 : beats(nic, stored_bytes)) * PS_PER_US;
}

/* Occupies the link from `at_ps` on. The fraction of a picosecond carries over to the next packet. */
static void take_link(struct pspin *nic, uint64_t at_ps, uint32_t bytes, uint32_t stored_bytes)
{
	struct ingress *link = &nic->device->ingress;
	const uint64_t overhead = nic->device->target.link_overhead_bytes;
	uint64_t denominator, ps = link_ps(nic, bytes + overhead, stored_bytes + overhead, &denominator);

	if (at_ps != link->free_ps)
		link->rest = 0;
	ps += link->rest;
	link->free_ps = at_ps + ps / denominator;
	link->rest = ps % denominator;
	link->busy_ps += link->free_ps - at_ps;
	if (link->free_ps < at_ps + nic->device->target.link_gap_ps) {
		link->free_ps = at_ps + nic->device->target.link_gap_ps;
		link->rest = 0;
	}
}

/* Returns when the last byte is in packet memory. Packets do not overtake each other. */
static uint64_t stored_ps(struct pspin *nic, const struct inflight *inflight, uint64_t at_ps, uint32_t bytes, uint32_t stored_bytes)
{
	const struct pspin_target *target = &nic->device->target;
	uint64_t denominator, link = link_ps(nic, bytes, stored_bytes, &denominator), writes = time__ps(target, beats(nic, stored_bytes));

	link = (link + denominator - 1) / denominator;
	at_ps += (link > writes ? link : writes) + time__ps(target, target->store_cycles) +
		 (inflight->is_matched ? target->match_next_ps : target->match_first_ps);
	if (at_ps < nic->device->ingress.stored_ps)
		at_ps = nic->device->ingress.stored_ps;
	nic->device->ingress.stored_ps = at_ps;
	return at_ps;
}

static void schedule_next(struct device *device);

/* Event: the packet is in packet memory. One that no handler takes leaves from there. */
static void stored(void *arg, uint64_t cycle, uint64_t what)
{
	struct device *device = arg;
	struct inflight *inflight = device->inflights.all[what];
	struct pspin *nic = inflight->nic;

	(void)cycle;
	if (inflight->record.disposition == PSPIN_DISPOSITION_HANDLED) {
		her_queue__stored(nic, inflight);
		return;
	}
	inflight->record.her_ps = inflight->record.feedback_ps = inflight->record.stored_ps;
	if (inflight->record.verdict == SPIN_VERDICT_PASS) {
		inflight->record.left_ps = inflight->record.stored_ps;
		memcpy(device->frame, inflight->arrival.frame, inflight->arrival.frame_bytes);
	}
	record__packet(nic, inflight, inflight->arrival.frame_bytes);
	her_queue__free(nic, inflight);
}

/* The packet's first byte arrives. */
static void begin_arrival(struct pspin *nic, struct inflight *inflight, uint64_t at_ps)
{
	struct pspin_packet_record *record = &inflight->record;
	struct device *device = nic->device;
	uint32_t stored_bytes = inflight->stored_bytes > record->packet_bytes ? inflight->stored_bytes : record->packet_bytes;

	record->arrived_ps = at_ps;
	take_link(nic, at_ps, record->packet_bytes, stored_bytes);
	record->stored_ps = stored_ps(nic, inflight, at_ps, record->packet_bytes, stored_bytes);
	if (!nic->traffic.packets++)
		nic->first_ps = at_ps;
	nic->traffic.bytes += record->packet_bytes;
	events__add(&device->soc.events, device->opened + time__cycle_from(&device->target, record->stored_ps), stored, device,
		    inflight->index);
	schedule_next(device);
}

/* Takes the first packet of the line. Returns NULL without memory; the event log is then incomplete. */
static struct inflight *next_inflight(struct pspin *nic)
{
	struct inflight *inflight = inflights__alloc(&nic->device->inflights);
	struct offered *offered = nic->line.first;

	if (!inflight) {
		nic->event_log.incomplete = 1;
		return NULL;
	}
	nic->line.first = offered->next;
	inflight->nic = nic;
	inflight->offered = offered;
	inflight->arrival.frame = offered->frame;
	inflight->arrival.frame_bytes = offered->bytes;
	inflight->message = offered->message;
	inflight->end_of_message = offered->end_of_message;
	inflight->record.packet = nic->device->ingress.next_packet++;
	inflight->record.offered_ps = offered->at_ps;
	inflight->record.wire_bytes = inflight->record.packet_bytes = (uint32_t)offered->bytes;
	return inflight;
}

/* Allocates packet memory, of which each context has its part. */
static struct buffer *alloc_buffer(struct pspin *nic, uint32_t bytes)
{
	struct device *device = nic->device;
	struct buffer *place;

	if (device->count > 1 && nic->placed_bytes + bytes > device__packet_bytes(device))
		return NULL;
	place = packet_buffer__alloc(&device->packet_buffer, bytes, &nic->event_log.incomplete);
	if (place)
		nic->placed_bytes += buffer__bytes(place);
	return place;
}

/* Event: a packet has arrived completely. It gets a place in packet memory, or is lost, or is held back until there is room. */
static void arrive(void *arg, uint64_t cycle, uint64_t what)
{
	struct device *device = arg;
	struct ingress *link = &device->ingress;
	struct pspin *nic = link->next;
	struct inflight *inflight;
	uint32_t bytes;

	(void)cycle;
	if (what != link->event)
		return;
	link->next = NULL;
	if (link->due_ps < link->free_ps) { /* a packet that was held back has arrived before it */
		schedule_next(device);
		return;
	}
	inflight = next_inflight(nic);
	if (!inflight)
		return;
	bytes = inflight->stored_bytes = nic->kind->classify(nic, inflight);
	if (bytes)
		inflight->place = alloc_buffer(nic, bytes);
	if (bytes && !inflight->place && !link->loses) {
		nic->line.held = inflight;
		nic->line.due_ps = link->due_ps;
		schedule_next(device);
		return;
	}
	if (bytes && !inflight->place) {
		inflight->record.disposition = PSPIN_DISPOSITION_NO_BUFFER;
		inflight->record.reason = SPIN_REASON_NO_HPU;
		inflight->record.verdict = SPIN_VERDICT_DROP;
	}
	begin_arrival(nic, inflight, link->due_ps);
}

/* Lets the context's held packet arrive, if there is room now. */
static void admit(struct pspin *nic)
{
	struct inflight *inflight = nic->line.held;
	struct ingress *link = &nic->device->ingress;
	uint64_t at_ps, now;

	if (!inflight)
		return;
	inflight->place = alloc_buffer(nic, nic->kind->classify(nic, inflight));
	if (!inflight->place)
		return;
	nic->line.held = NULL;
	now = record__now(nic);
	at_ps = now < nic->line.due_ps ? nic->line.due_ps : now;
	if (at_ps < link->free_ps)
		at_ps = link->free_ps;
	nic->traffic.held_back_ps += at_ps - nic->line.due_ps;
	begin_arrival(nic, inflight, at_ps);
	soc__limit_lookahead(&nic->device->soc);
}

void ingress__room(struct device *device)
{
	for (unsigned i = 0; i < device->count; i++)
		admit(device->contexts[i]);
}

/* Returns the context whose next packet was offered first, among those that are not held back. */
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

/* Schedules the arrival of the packet that is due first, of all contexts, unless that is scheduled already. */
static void schedule_next(struct device *device)
{
	struct ingress *link = &device->ingress;
	struct pspin *nic = next_line(device);
	uint64_t now, cycle, due;

	if (!nic)
		return;
	now = record__now(nic);
	due = nic->line.first->at_ps > link->free_ps ? nic->line.first->at_ps : link->free_ps;
	if (due < now) /* it was offered late */
		due = now;
	if (link->next && link->due_ps <= due)
		return;
	link->next = nic;
	link->due_ps = due;
	cycle = device->opened + time__cycle(&device->target, link->due_ps);
	events__add(&device->soc.events, cycle < device->soc.now ? device->soc.now : cycle, arrive, device, ++link->event);
	soc__limit_lookahead(&device->soc);
}

int ingress__offer(struct pspin *nic, const struct pspin_offer *offer)
{
	struct ingress *link = &nic->device->ingress;
	const uint32_t lead_bytes = nic->meta.registration.payload_aligned ? SPIN_LINE_BYTES - 1 : 0; /* at most */
	struct offered *offered;

	if (offer->frame_bytes > PSPIN_FRAME_BYTES_MAX || offer->frame_bytes + lead_bytes > device__packet_bytes(nic->device))
		return -EINVAL;
	offered = malloc(sizeof(*offered) + offer->frame_bytes);
	if (!offered)
		return -ENOMEM;
	*offered = (struct offered){ .at_ps = offer->at_ps,
				     .number = link->offered++,
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
	schedule_next(nic->device);
	return 0;
}

void ingress__close(struct pspin *nic)
{
	struct offered *offered;

	while ((offered = nic->line.first)) {
		nic->line.first = offered->next;
		free(offered);
	}
}
