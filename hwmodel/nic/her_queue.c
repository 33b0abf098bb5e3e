/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The path of a stored packet to the SoC and back. A packet for the handlers becomes a HER (handler execution request), which waits here
 * until the SoC has room. Called by the ingress link when a packet is stored, by the SoC when tasks start and end, and by each kind of
 * context (datagram.c, message.c, image.c) for its packets. Invariant: a context's packets are decided in order, and a packet only after
 * the HERs of all earlier ones were accepted.
 */
#include <errno.h>
#include <string.h>

#include "hwmodel/nic/command.h"
#include "hwmodel/nic/her_queue.h"

/* Passes the HER to the MPQ engine. Returns 0 if it has to wait. */
static int assign(struct pspin *nic, struct inflight *inflight)
{
	struct slot *slot = inflight->slot;

	if (!scratchpad__hold(nic, slot) || !soc__takes_her(&nic->device->soc, slot->id))
		return 0;
	inflight->record.her_ps = record__now(nic);
	if (++nic->device->hers_in_flight > nic->device->hers_peak)
		nic->device->hers_peak = nic->device->hers_in_flight;
	record__her(nic, inflight);
	if (soc__her(&nic->device->soc, nic->device->soc.now, &inflight->her))
		nic->event_log.incomplete = 1;
	return 1;
}

/* Advances the first packet of a context that can advance; earlier decisions go first. Returns 0 if none can. */
static int advance_context(struct pspin *nic)
{
	if (nic->ready.first) {
		if (!assign(nic, nic->ready.first))
			return 0;
		inflight_queue__take(&nic->ready);
		return 1;
	}
	if (nic->kind->replay && nic->kind->replay(nic))
		return 1;
	if (nic->stored.first) {
		struct inflight *inflight = nic->stored.first, *next = inflight->next;

		if (nic->kind->decide(nic, inflight) == DECIDED_WAIT)
			return 0;
		nic->stored.first = next;
		return 1;
	}
	return 0;
}

/* Advances all packets that can advance. Contexts take turns; one that cannot advance does not block the others. */
static void advance(void *arg, uint64_t cycle, uint64_t what)
{
	struct device *device = arg;

	(void)cycle;
	(void)what;
	device->has_event = 0;
	for (unsigned stand = 0; stand < device->count;) {
		if (device->one_at_a_time && device->hers_in_flight)
			return;
		stand = advance_context(device->contexts[device->turn]) ? 0 : stand + 1;
		device->turn = (device->turn + 1) % device->count;
	}
}

void her_queue__wake(struct pspin *nic)
{
	struct device *device = nic->device;

	if (device->has_event)
		return;
	device->has_event = 1;
	events__add(&device->soc.events, device->soc.now, advance, device, 0);
	soc__limit_lookahead(&device->soc);
}

int her_queue__classify(struct pspin *nic, struct inflight *inflight)
{
	struct arrival *a = &inflight->arrival;
	struct pspin_packet_record *record = &inflight->record;
	enum spin_reason reason = inbound__classify(a->frame, a->frame_bytes, &nic->rule, nic->meta.registration.checksum, &a->in);

	if (reason == SPIN_REASON_COUNT) {
		record->packet_bytes = a->in.packet_bytes;
		return 1;
	}
	record->disposition = PSPIN_DISPOSITION_NOT_MATCHED;
	record->reason = reason;
	record->verdict = SPIN_VERDICT_PASS;
	return 0;
}

_Static_assert(BUFFER_UNIT_BYTES % SPIN_LINE_BYTES == 0, "a place in packet memory begins a line");

uint32_t her_queue__align(const struct pspin *nic, struct inflight *inflight, uint32_t headers_bytes)
{
	if (nic->meta.registration.payload_aligned)
		inflight->lead_bytes = (SPIN_LINE_BYTES - headers_bytes % SPIN_LINE_BYTES) % SPIN_LINE_BYTES;
	return inflight->lead_bytes;
}

void her_queue__stored(struct pspin *nic, struct inflight *inflight)
{
	if (inflight->place) {
		uint8_t *at = nic->memory->l2_packet + inflight__offset(inflight);
		uint32_t room = buffer__bytes(inflight->place) - inflight->lead_bytes;

		inflight->placed_bytes = nic->kind->place(nic, inflight, at);
		memset(at + inflight->placed_bytes, 0, room - inflight->placed_bytes);
	}
	inflight_queue__add(&nic->stored, inflight);
	if (!nic->device->has_event)
		advance(nic->device, nic->device->soc.now, 0);
}

void her_queue__add(struct pspin *nic, struct inflight *inflight, struct slot *slot, uint32_t payload, int end_of_message)
{
	inflight->slot = slot;
	inflight->record.message_id = slot->id;
	inflight->her = (struct soc_her){
		.packet = inflight->index,
		.message_id = slot->id,
		.l2 = L2_PACKET + inflight__offset(inflight),
		.bytes = inflight->placed_bytes,
		.tag = inbound__tag(inflight->arrival.frame, inflight->arrival.frame_bytes),
		.end_of_message = end_of_message,
		.payload = payload,
		.payload_cycles = inflight->handler_bytes * nic->device->target.max_cycles_per_byte,
		.context = &slot->context,
	};
	slot->in_flight++;
	nic->slots.in_flight[slot->home]++;
	if (end_of_message && !slot->is_ending) {
		slot->is_ending = 1;
		nic->slots.ending_count++;
	}
	inflight_queue__add(&nic->ready, inflight);
}

enum decision her_queue__lose(struct pspin *nic, struct inflight *inflight)
{
	inflight->record.disposition = PSPIN_DISPOSITION_NO_MESSAGE;
	inflight->record.verdict = SPIN_VERDICT_DROP;
	inflight->record.reason = SPIN_REASON_NO_MPQ;
	inflight->record.feedback_ps = record__now(nic);
	record__packet(nic, inflight, 0);
	her_queue__free(nic, inflight);
	return DECIDED_DONE;
}

void her_queue__free(struct pspin *nic, struct inflight *inflight)
{
	if (inflight->place) {
		nic->placed_bytes -= buffer__bytes(inflight->place);
		packet_buffer__free(&nic->device->packet_buffer, inflight->place);
		inflight->place = NULL;
		nic->device->on_room(nic->device);
	}
	inflights__free(&nic->device->inflights, inflight);
}

static struct inflight *inflight_of(const struct device *device, const struct soc_task *task)
{
	return device->inflights.all[task->her->packet];
}

static void on_start(void *arg, struct soc_task *task)
{
	struct inflight *inflight = inflight_of(arg, task);
	struct pspin *nic = inflight->nic;

	if (task->kind == SOC_PAYLOAD) { /* sends of the header handler do not count for the packet's disposition */
		inflight->reply.done = inflight->deposit.done = 0;
		inflight->reply.bytes = inflight->delivered_bytes = 0;
	}
	if (nic->kind->starts)
		nic->kind->starts(nic, inflight, task->kind);
}

static int on_command(void *arg, struct soc_task *task, const struct hpu_command *command)
{
	struct inflight *inflight = inflight_of(arg, task);
	int rc = nic__command(inflight->nic, inflight, task, command);

	if (!rc)
		record__command(inflight->nic, command);
	return rc;
}

static void on_known(void *arg, const struct hpu_command *command)
{
	struct inflight *inflight = inflight_of(arg, command->task);

	nic__command_known(inflight->nic, inflight, command);
	record__command_known(inflight->nic, command);
}

/* Frees the packet: its HER is done. */
static void pop(struct pspin *nic, struct inflight *inflight, uint64_t cycle)
{
	nic->device->hers_in_flight--;
	inflight->slot->in_flight--;
	nic->slots.in_flight[inflight->slot->home]--;
	inflight->record.feedback_ps = record__ps(nic, cycle);
	if (inflight->is_replayed)
		record__replayed(nic, inflight);
	else
		record__packet(nic, inflight, nic->kind->leaves(nic, inflight));
	inflight->slot = NULL;
	her_queue__free(nic, inflight);
}

static void on_end(void *arg, struct soc_task *task, int pops)
{
	struct inflight *inflight = inflight_of(arg, task);
	struct pspin *nic = inflight->nic;

	headers__put_back(nic, inflight, task);
	nic->kind->ended(nic, inflight, task->kind, record__task(nic, inflight, task));
	if (pops)
		pop(nic, inflight, task->feedback);
	her_queue__wake(nic);
}

static void on_freed(void *arg, uint32_t message_id, uint64_t cycle)
{
	struct pspin *nic = device__context(arg, message_id);

	(void)cycle;
	nic->kind->freed(nic, slots__find(nic, message_id));
	her_queue__wake(nic);
}

static void on_room(void *arg, uint64_t cycle)
{
	const struct device *device = arg;

	(void)cycle;
	her_queue__wake(device->contexts[0]);
}

const struct soc_nic nic_hooks = {
	.on_start = on_start, .on_command = on_command, .on_end = on_end, .on_freed = on_freed, .on_room = on_room, .on_known = on_known
};

/* --- running until nothing is left --- */

static int is_stuck(const struct pspin *nic)
{
	return nic->line.first || nic->line.held || nic->stored.first || nic->ready.first || nic->device->hers_in_flight;
}

/* Returns the first context for which predicate() is true; NULL if none. */
static struct pspin *find_context(const struct device *device, int (*predicate)(const struct pspin *nic))
{
	for (unsigned i = 0; i < device->count; i++)
		if (predicate(device->contexts[i]))
			return device->contexts[i];
	return NULL;
}

static int is_incomplete(const struct pspin *nic)
{
	return nic->event_log.incomplete || nic->device->soc.events.incomplete;
}

int device__is_incomplete(const struct device *device)
{
	return find_context(device, is_incomplete) != NULL;
}

struct pspin *device__find_stuck(const struct device *device)
{
	return find_context(device, is_stuck);
}

int nic__run_to_end(struct pspin *nic)
{
	soc__run(&nic->device->soc, UINT64_MAX);
	if (find_context(nic->device, is_incomplete))
		return -ENOMEM;
	return find_context(nic->device, is_stuck) ? -EDEADLK : 0;
}

void nic__one_at_a_time(struct pspin *nic, int on)
{
	nic->device->one_at_a_time = on;
	if (on)
		nic->device->soc.ideal_icache = 1;
	nic->slots.homes_in_use = on ? 1 : nic->slots.homes;
}
