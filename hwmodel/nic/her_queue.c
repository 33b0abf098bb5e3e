/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * From packet memory to the MPQ engine and back; see her_queue.h. Called by the ingress link when a packet is stored, by the SoC when
 * tasks start and end, and by each kind of context for its packets. Invariant: a context's packets are decided in their order, and
 * none before the HERs of those before it were accepted.
 */
#include <errno.h>
#include <string.h>

#include "hwmodel/nic/command.h"
#include "hwmodel/nic/her_queue.h"

/* 0: it has to wait. */
static int give(struct pspin *nic, struct flight *flight)
{
	struct slot *slot = flight->slot;

	if (!scratchpad__hold(nic, slot) || !soc__takes_her(&nic->device->soc, slot->id))
		return 0;
	flight->record.her_ps = record__now(nic);
	if (++nic->device->hers_in_flight > nic->device->hers_peak)
		nic->device->hers_peak = nic->device->hers_in_flight;
	record__her(nic, flight);
	if (soc__her(&nic->device->soc, nic->device->soc.now, &flight->her))
		nic->journal.incomplete = 1;
	return 1;
}

/* One step of a context's packets, in order: decisions wait until what was decided before is on its way. 0: none is possible. */
static int step(struct pspin *nic)
{
	if (nic->ready.first) {
		if (!give(nic, nic->ready.first))
			return 0;
		flight_queue__take(&nic->ready);
		return 1;
	}
	if (nic->kind->replay && nic->kind->replay(nic))
		return 1;
	if (nic->stored.first) {
		struct flight *flight = nic->stored.first, *next = flight->next;

		if (nic->kind->decide(nic, flight) == DECIDED_WAIT)
			return 0;
		nic->stored.first = next;
		return 1;
	}
	return 0;
}

/* Whatever can go on now: contexts take turns, since one that cannot holds up no other. */
static void go_on(void *arg, uint64_t cycle, uint64_t what)
{
	struct device *device = arg;

	(void)cycle;
	(void)what;
	device->goes_on = 0;
	for (unsigned stand = 0; stand < device->count;) {
		if (device->one_at_a_time && device->hers_in_flight)
			return;
		stand = step(device->contexts[device->turn]) ? 0 : stand + 1;
		device->turn = (device->turn + 1) % device->count;
	}
}

void hers__again(struct pspin *nic)
{
	struct device *device = nic->device;

	if (device->goes_on)
		return;
	device->goes_on = 1;
	events__add(&device->soc.events, device->soc.now, go_on, device, 0);
	soc__look(&device->soc);
}

int hers__classify(struct pspin *nic, struct flight *flight)
{
	struct arrival *a = &flight->arrival;
	struct pspin_packet_record *record = &flight->record;
	enum spin_reason reason = inbound__classify(a->frame, a->frame_bytes, &nic->rule, nic->meta.registration.checksum, &a->in);

	if (reason == SPIN_REASON_COUNT) {
		record->packet_bytes = a->in.packet_bytes;
		return 1;
	}
	record->fate = PSPIN_FATE_NOT_OURS;
	record->reason = reason;
	record->verdict = SPIN_VERDICT_PASS;
	return 0;
}

void hers__stored(struct pspin *nic, struct flight *flight)
{
	if (flight->place) {
		uint8_t *at = nic->memory->l2_packet + place__offset(flight->place);

		flight->placed_bytes = nic->kind->place(nic, flight, at);
		memset(at + flight->placed_bytes, 0, place__bytes(flight->place) - flight->placed_bytes);
	}
	flight_queue__add(&nic->stored, flight);
	if (!nic->device->goes_on)
		go_on(nic->device, nic->device->soc.now, 0);
}

void hers__ready(struct pspin *nic, struct flight *flight, struct slot *slot, uint32_t payload, int end_of_message)
{
	flight->slot = slot;
	flight->record.message_id = slot->id;
	flight->her = (struct soc_her){
		.packet = flight->index,
		.message_id = slot->id,
		.l2 = L2_PACKET + place__offset(flight->place),
		.bytes = flight->placed_bytes,
		.end_of_message = end_of_message,
		.payload = payload,
		.payload_cycles = flight->handler_bytes * nic->device->target.max_cycles_per_byte,
		.context = &slot->context,
	};
	slot->in_flight++;
	nic->slots.in_flight[slot->home]++;
	if (end_of_message && !slot->is_ending) {
		slot->is_ending = 1;
		nic->slots.ending_count++;
	}
	flight_queue__add(&nic->ready, flight);
}

enum decision hers__lose(struct pspin *nic, struct flight *flight)
{
	flight->record.fate = PSPIN_FATE_NO_MESSAGE;
	flight->record.verdict = SPIN_VERDICT_DROP;
	flight->record.reason = SPIN_REASON_NO_MPQ;
	flight->record.feedback_ps = record__now(nic);
	record__packet(nic, flight, 0);
	hers__forget(nic, flight);
	return DECIDED_DONE;
}

void hers__forget(struct pspin *nic, struct flight *flight)
{
	if (flight->place) {
		nic->placed_bytes -= place__bytes(flight->place);
		places__free(&nic->device->places, flight->place);
		flight->place = NULL;
		nic->device->on_room(nic->device);
	}
	flights__give_back(&nic->device->flights, flight);
}

static struct flight *flight_of(const struct device *device, const struct soc_task *task)
{
	return device->flights.all[task->her->packet];
}

static void starts(void *arg, struct soc_task *task)
{
	struct flight *flight = flight_of(arg, task);
	struct pspin *nic = flight->nic;

	if (task->kind == SOC_PAYLOAD) { /* what the header handler has sent is none of the packet's fate */
		flight->reply.done = flight->deposit.done = 0;
		flight->reply.bytes = flight->delivered_bytes = 0;
	}
	if (nic->kind->starts)
		nic->kind->starts(nic, flight, task->kind);
}

static int command(void *arg, struct soc_task *task, const struct hpu_command *command)
{
	struct flight *flight = flight_of(arg, task);
	int rc = nic__command(flight->nic, flight, task, command);

	if (!rc)
		record__command(flight->nic, command);
	return rc;
}

static void known(void *arg, const struct hpu_command *command)
{
	struct flight *flight = flight_of(arg, command->task);

	nic__command_known(flight->nic, flight, command);
	record__command_known(flight->nic, command);
}

/* Its HER is done with. */
static void pop(struct pspin *nic, struct flight *flight, uint64_t cycle)
{
	nic->device->hers_in_flight--;
	flight->slot->in_flight--;
	nic->slots.in_flight[flight->slot->home]--;
	flight->record.feedback_ps = record__ps(nic, cycle);
	if (flight->is_replayed)
		record__replayed(nic, flight);
	else
		record__packet(nic, flight, nic->kind->leaves(nic, flight));
	flight->slot = NULL;
	hers__forget(nic, flight);
}

static void ended(void *arg, struct soc_task *task, int pops)
{
	struct flight *flight = flight_of(arg, task);
	struct pspin *nic = flight->nic;

	headers__put_back(nic, flight, task);
	nic->kind->ended(nic, flight, task->kind, record__task(nic, flight, task));
	if (pops)
		pop(nic, flight, task->feedback);
	hers__again(nic);
}

static void freed(void *arg, uint32_t message_id, uint64_t cycle)
{
	struct pspin *nic = device__context(arg, message_id);

	(void)cycle;
	nic->kind->freed(nic, slots__find(nic, message_id));
	hers__again(nic);
}

static void room(void *arg, uint64_t cycle)
{
	const struct device *device = arg;

	(void)cycle;
	hers__again(device->contexts[0]);
}

const struct soc_nic nic_hooks = { .starts = starts, .command = command, .ended = ended, .freed = freed, .room = room, .known = known };

/* --- until nothing is left --- */

static int is_stuck(const struct pspin *nic)
{
	return nic->line.first || nic->line.held || nic->stored.first || nic->ready.first || nic->device->hers_in_flight;
}

/* The first context for which is_so() holds; NULL: none. */
static struct pspin *find(const struct device *device, int (*is_so)(const struct pspin *nic))
{
	for (unsigned i = 0; i < device->count; i++)
		if (is_so(device->contexts[i]))
			return device->contexts[i];
	return NULL;
}

static int is_incomplete(const struct pspin *nic)
{
	return nic->journal.incomplete || nic->device->soc.events.incomplete;
}

int device__is_incomplete(const struct device *device)
{
	return find(device, is_incomplete) != NULL;
}

struct pspin *device__find_stuck(const struct device *device)
{
	return find(device, is_stuck);
}

int nic__settle(struct pspin *nic)
{
	soc__run(&nic->device->soc, UINT64_MAX);
	if (find(nic->device, is_incomplete))
		return -ENOMEM;
	return find(nic->device, is_stuck) ? -EDEADLK : 0;
}

void nic__one_at_a_time(struct pspin *nic, int on)
{
	nic->device->one_at_a_time = on;
	if (on)
		nic->device->soc.warm = 1;
	nic->slots.homes_in_use = on ? 1 : nic->slots.homes;
}
