/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the modelled NIC does with packets for contexts that take TCP segments: steps 6 to 12 of <spin/segment.h>. The NIC keeps the
 * connections (connection.h). A segment for which a handler runs is a message of one packet in the SoC: its header task runs only if it
 * begins a connection, its completion task only if it may end one. All others are passed to the host or dropped here, without a task.
 * Called by the ingress link and by her_queue.c through segment_kind. Invariant: while segments of a connection wait, another one of it has
 * a task, or the connection is in the list of those that are resumed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spin/return.h>

#include "hwmodel/nic/connection.h"
#include "hwmodel/nic/her_queue.h"
#include "hwmodel/nic/memory.h"

static uint32_t classify(struct pspin *nic, struct inflight *inflight)
{
	struct arrival *a = &inflight->arrival;

	if (!her_queue__classify(nic, inflight))
		return 0;
	tcp_segment__read(&a->segment, a->frame, &a->in);
	inflight->is_matched = !a->segment.syn;
	return her_queue__align(nic, inflight, a->in.ip_bytes + a->in.header_bytes) + a->in.packet_bytes;
}

/* --- segments that no handler sees --- */

/* Reports the segment and frees it. */
static enum decision finish_without_task(struct pspin *nic, struct inflight *inflight, enum spin_reason reason)
{
	struct pspin_packet_record *record = &inflight->record;
	size_t bytes = 0;

	record->reason = reason;
	record->verdict = record__verdict(reason);
	record->feedback_ps = record__now(nic);
	if (record->verdict == SPIN_VERDICT_PASS) {
		record->left_ps = record->feedback_ps;
		bytes = inflight->arrival.frame_bytes;
		if (record__wants_frame(nic, record))
			memcpy(nic->device->frame, inflight->arrival.frame, bytes);
	}
	record__packet(nic, inflight, bytes);
	her_queue__free(nic, inflight);
	return DECIDED_DONE;
}

static void accept(struct pspin *nic, struct connection *c, const struct tcp_segment *s)
{
	if (!s->rst && connection__accept(c, s))
		nic->event_log.incomplete = 1;
}

static void set_over(struct pspin *nic, struct connection *c, enum connection_state state)
{
	c->state = state;
	c->over = ++nic->connections->over_count;
}

/* --- waiting segments --- */

/* Its next waiting segment may be decided: adds the connection to the list of those that are resumed. */
static void resume(struct pspin *nic, struct connection *c)
{
	struct connections *connections = nic->connections;

	if (!c->waiting.first || c->is_resumed)
		return;
	c->is_resumed = 1;
	c->next_resumed = NULL;
	if (connections->first_resumed)
		connections->last_resumed->next_resumed = c;
	else
		connections->first_resumed = c;
	connections->last_resumed = c;
}

static void remove_first_resumed(struct connections *connections)
{
	struct connection *c = connections->first_resumed;

	connections->first_resumed = c->next_resumed;
	c->is_resumed = 0;
}

/*
 * Must the segment wait for the tasks of others of its connection? It must if its role, or what it does to the connection, depends on
 * their results. After a FIN, which may lie beyond a gap, each segment may be the one that ends the connection.
 */
static int must_wait(const struct connection *c, const struct tcp_segment *s, enum segment_role role)
{
	if (!c || !c->running_count)
		return 0;
	return c->state == CONNECTION_OPENING || c->is_alone || role == SEGMENT_BEGINS || s->fin || s->rst || c->has_fin;
}

/* --- handlers --- */

static int has_completion(const struct pspin *nic)
{
	return nic->meta.registration.completion || nic->meta.registration.message_completion;
}

/* Does the completion handler run at the end of a connection that was not refused? */
static int lets_complete(uint32_t header_rc)
{
	return header_rc == SPIN_RC_PROCESS_DATA || header_rc == (SPIN_RC_PROCEED | SPIN_RC_COMPLETE);
}

static void fill_scratchpad(struct pspin *nic, struct slot *slot, const struct connection *c, const struct tcp_segment *s)
{
	struct hpu_scratch *scratch = scratchpad__of(nic, slot);

	scratch->header = c->header_rc;
	scratch->length = SPIN_LENGTH_UNKNOWN;
	scratch->connection = c->number;
	scratch->offset = s->start - c->first;
	entry_memory__describe(nic, 0, scratch);
}

/* Queues the segment's HER. The header task, if there is one, decides about the completion task (header_ended()). */
static void run_tasks(struct pspin *nic, struct inflight *inflight, struct slot *slot, struct connection *c, int has_payload_task,
		      int has_completion_task)
{
	const struct inbound *in = &inflight->arrival.in;
	struct soc_context *context = &slot->context;

	slot__describe(nic, slot, in->is_ip4, DEPOSIT_BASE, DEPOSIT_BYTES);
	if (c->state != CONNECTION_OPENING)
		context->header = 0;
	if (!has_completion_task)
		context->completion = 0;
	if (context->bytes_in_l1 < in->ip_bytes + in->header_bytes) /* the headers are in L1, even if fewer bytes are registered */
		context->bytes_in_l1 = in->ip_bytes + in->header_bytes;
	fill_scratchpad(nic, slot, c, &inflight->arrival.segment);
	inflight->kind = has_payload_task ? PSPIN_PAYLOAD : PSPIN_PROCEED;
	inflight->handler_bytes = has_payload_task ? in->payload_bytes : 0;
	inflight->reason = SPIN_REASON_SUCCESS;
	inflight->connection = c;
	inflight->next_running = c->running;
	c->running = inflight;
	c->running_count++;
	her_queue__add(nic, inflight, slot, nic->entry[has_payload_task ? NIC_PAYLOAD : NIC_PROCEED][in->is_ip4], 1);
}

/*
 * Steps 7 and 9 to 12 for a segment that is not dropped before its handlers. key: it begins its connection, in the place c; else NULL.
 * ends: accepted, it ends the connection.
 */
static enum decision admit(struct pspin *nic, struct inflight *inflight, struct connection *c, const struct connection_key *key, int ends)
{
	const struct spin_registration *registration = &nic->meta.registration;
	const struct tcp_segment *s = &inflight->arrival.segment;
	const uint32_t header_rc = key ? SPIN_RC_PROCESS_DATA : c->header_rc;
	const int has_header_task = key && registration->header;
	const int has_payload_task = registration->payload && s->bytes && !s->rst && header_rc == SPIN_RC_PROCESS_DATA;
	const int has_completion_task = ends && has_completion(nic) && lets_complete(header_rc);
	struct slot *slot = NULL;

	if (has_header_task || has_payload_task || has_completion_task) {
		slot = slots__has_id(nic) ? slots__alloc(nic) : NULL;
		if (!slot) /* one will become free: each message ends with its packet */
			return DECIDED_WAIT;
	}
	if (key)
		connection__begin(nic->connections, c, key, s, has_header_task ? CONNECTION_OPENING : CONNECTION_OPEN);
	if (!slot) {
		accept(nic, c, s);
		if (ends)
			set_over(nic, c, CONNECTION_ENDED);
		return finish_without_task(nic, inflight, SPIN_REASON_PROCEEDED);
	}
	c->is_alone = ends || s->fin || c->has_fin;
	inflight->ends = ends;
	run_tasks(nic, inflight, slot, c, has_payload_task, has_completion_task);
	return DECIDED_HANDLED;
}

static enum decision drop_beyond_window(struct pspin *nic, struct inflight *inflight, struct connection *c)
{
	c->dropped_bytes += inflight->arrival.segment.bytes;
	c->flow_control = 1;
	return finish_without_task(nic, inflight, SPIN_REASON_BEYOND_WINDOW);
}

/* Steps 6 to 10; c: the key's connection, or NULL. Returns DECIDED_PARKED without a change if the segment must wait for others of it. */
static enum decision decide_segment(struct pspin *nic, struct inflight *inflight, struct connection *c, const struct connection_key *key)
{
	const struct tcp_segment *s = &inflight->arrival.segment;
	const enum segment_role role = connection__role(c, s);
	struct connection *place;
	int has_room;

	if (must_wait(c, s, role))
		return DECIDED_PARKED;
	if (role == SEGMENT_PASSES)
		return finish_without_task(nic, inflight, SPIN_REASON_PROCEEDED);
	if (role == SEGMENT_BEGINS || !c) { /* none belongs to no connection */
		place = connections__place(nic->connections, key, c);
		return place ? admit(nic, inflight, place, key, s->fin) : her_queue__lose(nic, inflight);
	}
	if (c->state == CONNECTION_REFUSED)
		return finish_without_task(nic, inflight, SPIN_REASON_HEADER_DROPPED);
	if (s->rst)
		return admit(nic, inflight, c, NULL, s->seq == c->next);
	has_room = connection__has_room(nic->connections, c, s);
	if (has_room < 0)
		nic->event_log.incomplete = 1;
	if (!has_room)
		return drop_beyond_window(nic, inflight, c);
	return admit(nic, inflight, c, NULL, connection__would_end(c, s));
}

/* A segment of a connection for which others wait waits as well: they are decided in order. */
static enum decision decide(struct pspin *nic, struct inflight *inflight)
{
	enum decision decision = DECIDED_PARKED;
	struct connection_key key;
	struct connection *c;

	connection_key__read(&key, inflight->arrival.frame, &inflight->arrival.in);
	c = connections__find(nic->connections, &key);
	if (!c || !c->waiting.first)
		decision = decide_segment(nic, inflight, c, &key);
	if (c && decision == DECIDED_PARKED)
		inflight_queue__add(&c->waiting, inflight);
	return decision;
}

/* Decides a segment that has waited for others of its connection. */
static int replay(struct pspin *nic)
{
	struct connections *connections = nic->connections;
	struct connection *c;

	while ((c = connections->first_resumed)) {
		struct inflight *inflight = c->waiting.first, *next = inflight->next;
		const struct connection_key key = c->key;
		const enum decision decision = decide_segment(nic, inflight, c, &key);

		if (decision == DECIDED_WAIT)
			return 0;
		if (decision != DECIDED_PARKED)
			c->waiting.first = next;
		if (decision == DECIDED_PARKED || !next)
			remove_first_resumed(connections);
		if (decision != DECIDED_PARKED)
			return 1;
	}
	return 0;
}

/* --- tasks --- */

/* Reports only the first error of a connection as an event. */
static void report_error(struct pspin *nic, const struct inflight *inflight, uint32_t error, enum spin_handler_kind kind)
{
	struct connection *c = inflight->connection;
	struct spin_event event;

	if (!error || c->has_failed)
		return;
	c->has_failed = 1;
	event = datagram__describe(inflight, record__error_event(error), kind);
	record__event(nic, &event);
}

/* Called when the segment's last task has ended. */
static void finish(struct pspin *nic, struct inflight *inflight)
{
	struct connection *c = inflight->connection;
	struct inflight **at = &c->running;

	while (*at != inflight)
		at = &(*at)->next_running;
	*at = inflight->next_running;
	c->running_count--;
	c->is_alone = 0;
	if (inflight->ends && c->state == CONNECTION_OPEN)
		set_over(nic, c, CONNECTION_ENDED);
	resume(nic, c);
}

/* Sets the connection's state. Selects whether the message's completion task, which the MPQ engine issues later, runs. */
static void header_ended(struct pspin *nic, struct inflight *inflight, const struct pspin_task *task)
{
	const uint32_t rc = task->error ? HPU_SCRATCH_FAILED : scratchpad__of(nic, inflight->slot)->header;
	struct connection *c = inflight->connection;

	report_error(nic, inflight, task->error, SPIN_KIND_HEADER);
	inflight->error = task->error;
	c->header_rc = rc;
	if (rc == HPU_SCRATCH_FAILED || rc == SPIN_RC_DROP) {
		inflight->reason = SPIN_REASON_HEADER_DROPPED;
		inflight->ends = rc == SPIN_RC_DROP;
		set_over(nic, c, CONNECTION_REFUSED);
	} else {
		if (rc != SPIN_RC_PROCESS_DATA)
			inflight->reason = SPIN_REASON_PROCEEDED;
		c->state = CONNECTION_OPEN;
	}
	inflight->slot->context.completion = inflight->ends && (rc == SPIN_RC_DROP || lets_complete(rc)) ? nic->completion : 0;
	if (!has_completion(nic))
		inflight->slot->context.completion = 0;
	resume(nic, c);
}

/* Returns the reason from the data task's actions and the header handler's verdict. */
static enum spin_reason data_reason(const struct inflight *inflight)
{
	if (inflight->error)
		return record__error_reason(inflight->error);
	if (inflight->deposit.done)
		return inflight->kind == PSPIN_PROCEED ? SPIN_REASON_PROCEEDED : inflight->reason;
	return inflight->reason == SPIN_REASON_HEADER_DROPPED ? SPIN_REASON_HEADER_DROPPED : SPIN_REASON_DROPPED;
}

/* A payload or default task has ended: accepts the segment, or drops its bytes. */
static void data_ended(struct pspin *nic, struct inflight *inflight, const struct pspin_task *task)
{
	const struct tcp_segment *s = &inflight->arrival.segment;
	struct connection *c = inflight->connection;

	if (inflight->kind == PSPIN_PAYLOAD)
		report_error(nic, inflight, task->error, SPIN_KIND_PAYLOAD);
	if (!inflight->error)
		inflight->error = task->error;
	inflight->reason = data_reason(inflight);
	if (inflight->reason == SPIN_REASON_SUCCESS || inflight->reason == SPIN_REASON_PROCEEDED) {
		accept(nic, c, s);
	} else {
		c->dropped_bytes += s->bytes;
		if (c->state == CONNECTION_OPEN)
			inflight->ends = 0;
	}
	if (!inflight->slot->context.completion)
		finish(nic, inflight);
}

static uint32_t saturate(uint64_t bytes)
{
	return bytes < SPIN_LENGTH_UNKNOWN ? (uint32_t)bytes : SPIN_LENGTH_UNKNOWN;
}

/*
 * Writes the completion handler's arguments to the scratchpad. If a handler has dropped the segment that was to end the connection, the
 * completion task runs as well, since the MPQ engine cannot know; the verdict written here then makes it return at once.
 */
static void starts(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind)
{
	const struct connection *c = inflight->connection;
	struct hpu_scratch *scratch;

	if (kind != SOC_COMPLETION)
		return;
	scratch = scratchpad__of(nic, inflight->slot);
	scratch->header = inflight->ends ? c->header_rc : HPU_SCRATCH_FAILED;
	scratch->length = saturate(c->length_bytes);
	scratch->dropped_bytes = saturate(c->dropped_bytes);
	scratch->flow_control = (uint32_t)c->flow_control;
}

static void ended(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind, const struct pspin_task *task)
{
	switch (kind) {
	case SOC_HEADER:
		header_ended(nic, inflight, task);
		break;
	case SOC_PAYLOAD:
		data_ended(nic, inflight, task);
		break;
	default:
		if (inflight->ends)
			report_error(nic, inflight, task->error, SPIN_KIND_COMPLETION);
		finish(nic, inflight);
	}
}

const struct nic_kind segment_kind = {
	.classify = classify,
	.place = datagram__place,
	.decide = decide,
	.replay = replay,
	.starts = starts,
	.ended = ended,
	.work = datagram__work,
	.leaves = datagram__leaves,
	.freed = datagram__freed,
};

/* --- contexts of segments --- */

int nic_connections__open(struct pspin *nic)
{
	nic->kind = &segment_kind;
	nic->connections = calloc(1, sizeof(*nic->connections));
	return nic->connections ? 0 : -ENOMEM;
}

void nic_connections__reset(struct pspin *nic)
{
	connections__clear(nic->connections);
}

void nic_connections__free(struct pspin *nic)
{
	if (!nic->connections)
		return;
	connections__clear(nic->connections);
	free(nic->connections);
}
