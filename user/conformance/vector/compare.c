/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares what a handler did with one packet or clock step of a vector (a test as text) with what the vector expects, and lists the
 * differences. Called by run.c after each step, and by spinctl replay. A mutation changes the expectation first, so that tests can check
 * that the comparison notices it.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <spin/libspin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/event.h"
#include "user/conformance/vector/compare.h"
#include "user/conformance/vector/send.h"
#include "user/conformance/vector/wire.h"

const char *vector_mutation_name(enum vector_mutation mutation)
{
	static const char *const names[MUTATIONS] = { "nothing",     "verdict",     "frame",          "state",  "event",
						      "packet sent", "host memory", "matching entry", "counter" };

	return names[mutation];
}

int vector_can_mutate(const struct vector *v, const struct types *t, enum vector_mutation mutation)
{
	const struct vector_step *last = &v->step[v->count - 1];

	switch (mutation) {
	case MUTATE_VERDICT:
		return last->kind == STEP_PACKET;
	case MUTATE_FRAME:
		return last->out_bytes != 0;
	case MUTATE_HOST:
		return t->host_memory;
	case MUTATE_ME:
		return t->messages;
	case MUTATE_CT:
		return t->me_memory;
	default:
		return 1;
	}
}

static void add_verdict(struct differences *d, const struct engine_out *got, enum spin_verdict verdict, enum spin_reason reason)
{
	char a[128], b[128];

	if (got->verdict == verdict && got->reason == reason)
		return;
	snprintf(a, sizeof(a), "%s %s (%s)", spin_verdict_name(got->verdict), spin_reason_name(got->reason), spin_reason_text(got->reason));
	snprintf(b, sizeof(b), "%s %s (%s)", spin_verdict_name(verdict), spin_reason_name(reason), spin_reason_text(reason));
	differences_add(d, "verdict", a, b);
}

/* Returns the expected work item number i, or NULL if there are fewer. */
static const struct spin_event *find_expected_work(const struct vector_step *step, unsigned i)
{
	for (unsigned k = 0; k < step->event_count; k++)
		if (step->event[k].event.type == SPIN_EVENT_WORK && !i--)
			return &step->event[k].event;
	return NULL;
}

static const struct spin_event *find_actual_work(const struct engine_events *events, unsigned i)
{
	for (unsigned k = 0; k < events->count && k < ENGINE_EVENTS_MAX; k++)
		if (events->event[k].type == SPIN_EVENT_WORK && !i--)
			return &events->event[k];
	return NULL;
}

static void format_work(const struct spin_event *work, char text[EVENT_LINE_MAX])
{
	char item[EVENT_ITEM_MAX];

	snprintf(text, EVENT_LINE_MAX, "none");
	if (!work)
		return;
	event_item(work, item);
	snprintf(text, EVENT_LINE_MAX, "%s item %s", event_handler_name(work->handler), item);
}

/* Compares handler and content of a datagram's work items, in order. */
static void add_datagram_work(struct differences *d, const struct engine_out *got, const struct vector_step *step)
{
	char a[EVENT_LINE_MAX], b[EVENT_LINE_MAX], what[32];

	for (unsigned i = 0; find_actual_work(&got->events, i) || find_expected_work(step, i); i++) {
		format_work(find_actual_work(&got->events, i), a);
		format_work(find_expected_work(step, i), b);
		snprintf(what, sizeof(what), "work item %u", i + 1);
		if (strcmp(a, b))
			differences_add(d, what, a, b);
	}
}

/* Compares the events of a datagram: work items, and at most one error. An error's other fields follow from the packet. */
static void add_datagram_event(struct differences *d, const struct engine_out *got, const struct vector_step *step, int mutation)
{
	char a[EVENT_TEXT_MAX], b[EVENT_TEXT_MAX];
	uint32_t type = 0, handler = 0, errors = 0;

	for (unsigned i = 0; i < step->event_count; i++) {
		const struct spin_event *event = &step->event[i].event;

		if (event->type == SPIN_EVENT_WORK)
			continue;
		if (errors++)
			differences_add(d, "one more event", "a datagram has one at most", event_name(event->type));
		else
			type = event->type, handler = event->handler;
	}
	add_datagram_work(d, got, step);
	type = mutation ? (type == SPIN_EVENT_FAIL ? SPIN_EVENT_SEGV : SPIN_EVENT_FAIL) : type;
	if (got->event != type || (type && got->event_handler != handler)) {
		event_text(got->event, got->event_handler, a);
		event_text(type, handler, b);
		differences_add(d, "event", a, b);
	}
}

/* Fills in the fields that an event's line omits, from the matching entry that it names. */
static void add_entry(struct spin_event *event, const struct host_image *host)
{
	const struct spin_me *me = &host->me[event->me % SPIN_MES_MAX];

	if (event->me >= SPIN_MES_MAX)
		return;
	event->me_start = me->start;
	event->me_length = me->length;
	event->me_serial = me->serial;
}

static void add_events(struct differences *d, const struct engine_events *got, const struct vector_step *step,
		       const struct host_image *host, int mutation)
{
	char a[EVENT_LINE_MAX], b[EVENT_LINE_MAX], what[32];
	unsigned kept = got->count < ENGINE_EVENTS_MAX ? got->count : ENGINE_EVENTS_MAX;
	unsigned want = step->event_count + (mutation && !step->event_count);

	for (unsigned i = 0; i < kept || i < want; i++) {
		struct spin_event expected = i < step->event_count ? step->event[i].event : (struct spin_event){ .type = SPIN_EVENT_FAIL };

		expected.hdr_data ^= mutation && !i;
		if (expected.type != SPIN_EVENT_PUT_FAILED && expected.type != SPIN_EVENT_WORK)
			add_entry(&expected, host);
		snprintf(a, sizeof(a), "none");
		snprintf(b, sizeof(b), "none");
		if (i < kept)
			event_line(&got->event[i], a);
		if (i < want)
			event_line(&expected, b);
		snprintf(what, sizeof(what), "event %u", i + 1);
		if (strcmp(a, b))
			differences_add(d, what, a, b);
	}
	if (got->count > ENGINE_EVENTS_MAX)
		differences_add(d, "events", "more than are kept", "fewer");
}

/* Formats the source of an entry, with a leading blank; "": any source. */
static void format_me_source(const struct spin_me *me, char *text, size_t bytes)
{
	char address[INET6_ADDRSTRLEN] = "?";

	*text = 0;
	if (!me->source_mask)
		return;
	inet_ntop((me->source & 255) == 6 ? AF_INET6 : AF_INET, me->src, address, sizeof(address));
	snprintf(text, bytes, " from %s %u", address, me->source_mask >> 16 ? ntohs((uint16_t)(me->source >> 16)) : 0);
}

static void format_me(const struct spin_me *me, char *text, size_t bytes)
{
	static const char *const states[] = { "free", "open", "taken", "unread" };
	char source[64], managed[64] = "";

	if (me->state > SPIN_ME_UNREAD) {
		snprintf(text, bytes, "state %u", me->state);
		return;
	}
	if (me->state == SPIN_ME_FREE) {
		snprintf(text, bytes, "free");
		return;
	}
	format_me_source(me, source, sizeof(source));
	if (me->options & SPIN_ME_MANAGE_LOCAL)
		snprintf(managed, sizeof(managed), " min_free %u used %" PRIu64, me->min_free, me->used);
	snprintf(text, bytes, "%s%s match %#" PRIx64 " ignore %#" PRIx64 "%s start %u length %u%s messages %" PRIu64 " bytes %" PRIu64,
		 states[me->state], me->options & SPIN_ME_USE_ONCE ? " once" : "", me->match_bits, me->ignore_bits, source, me->start,
		 me->length, managed, me->messages, me->bytes);
}

static void add_mes(struct differences *d, const struct host_image *want, const struct host_image *got)
{
	char a[320], b[320], what[32];

	for (unsigned i = 0; i < got->entries; i++) {
		format_me(&got->me[i], a, sizeof(a));
		format_me(&want->me[i], b, sizeof(b));
		snprintf(what, sizeof(what), "matching entry %u", i);
		if (strcmp(a, b))
			differences_add(d, what, a, b);
	}
}

static void add_cts(struct differences *d, const struct host_image *want, const struct host_image *got)
{
	char a[64], b[64], what[32];

	for (unsigned i = 0; i < got->counters; i++) {
		snprintf(a, sizeof(a), "%u successes, %u failures", got->ct[i].success, got->ct[i].failure);
		snprintf(b, sizeof(b), "%u successes, %u failures", want->ct[i].success, want->ct[i].failure);
		snprintf(what, sizeof(what), "counter of entry %u", i);
		if (strcmp(a, b))
			differences_add(d, what, a, b);
	}
}

void vector_compare_images(struct differences *d, const struct host_image *want, const struct host_image *got)
{
	differences_bytes(d, "host memory", want->memory, want->bytes, got->memory, got->bytes);
	add_mes(d, want, got);
	add_cts(d, want, got);
}

/* Counts of an entry are compared only if a line gives them: copies the actual values of the others to the expectation. */
static void ignore_unlisted_counts(const struct vector_changes *after, struct host_image *want, const struct host_image *got)
{
	int counted[SPIN_MES_MAX] = { 0 }, used[SPIN_MES_MAX] = { 0 };

	for (unsigned i = 0; i < after->count; i++) {
		if (after->list[i].kind != CHANGE_ME)
			continue;
		counted[after->list[i].me] |= after->list[i].counted;
		used[after->list[i].me] |= after->list[i].used_given;
	}
	for (unsigned i = 0; i < SPIN_MES_MAX; i++) {
		if (!used[i])
			want->me[i].used = got->me[i].used;
		if (counted[i])
			continue;
		want->me[i].messages = got->me[i].messages;
		want->me[i].bytes = got->me[i].bytes;
	}
}

static void compare_host(const struct vector_step *step, enum vector_mutation mutation, struct vector_result *r)
{
	ignore_unlisted_counts(&step->after, &r->want_host, &r->got_host);
	if (mutation == MUTATE_HOST)
		r->want_host.memory[step->line * 7919u % r->want_host.bytes] ^= 0x10;
	if (mutation == MUTATE_ME)
		r->want_host.me[step->line % SPIN_MES_MAX].state ^= SPIN_ME_OPEN;
	if (mutation == MUTATE_CT)
		r->want_host.ct[step->line % r->want_host.counters].success ^= 0x100;
	vector_compare_images(&r->differences, &r->want_host, &r->got_host);
}

static void compare_packet(const struct vector_step *step, enum vector_mutation mutation, struct vector_result *r)
{
	enum spin_verdict verdict = mutation == MUTATE_VERDICT ? (step->verdict + 1) % 3 : step->verdict;
	uint8_t expected[ENGINE_FRAME_MAX];

	if (step->out_bytes)
		memcpy(expected, step->out, step->out_bytes);
	/* the offset varies with the frame's length */
	if (mutation == MUTATE_FRAME && step->out_bytes)
		expected[step->in_bytes * 7 % step->out_bytes] ^= 0x10;
	add_verdict(&r->differences, &r->out, verdict, step->reason);
	if (r->uncounted)
		differences_add(&r->differences, "counter of the reason", "not up by one", "up by one");
	if (step->verdict != SPIN_VERDICT_DROP && r->out.verdict != SPIN_VERDICT_DROP)
		differences_frame(&r->differences, expected, step->out_bytes, r->out.frame, r->out.frame_bytes);
}

void vector_compare(const struct vector_step *step, const struct types *t, enum vector_mutation mutation, struct vector_result *r)
{
	if (step->kind == STEP_PACKET)
		compare_packet(step, mutation, r);
	else if (r->uncounted)
		differences_add(&r->differences, "counters of packets", "moved", "as they were");
	if (t->messages)
		add_events(&r->differences, &r->out.events, step, &r->want_host, mutation == MUTATE_EVENT);
	else
		add_datagram_event(&r->differences, &r->out, step, mutation == MUTATE_EVENT);
	vector_compare_sends(step, mutation == MUTATE_SEND, r);
	if (mutation == MUTATE_STATE)
		r->want.bytes[step->line % t->count][0] ^= 0x10;
	differences_memory(&r->differences, t, &r->want, &r->got);
	if (t->host_memory)
		compare_host(step, mutation, r);
}

/* --- actual and expected sends, compared in order --- */

static void format_process(const struct spin_process *p, char *text, size_t bytes)
{
	char address[INET6_ADDRSTRLEN] = "?";
	int four = p->ip_version == 4, more = four && (p->addr[1] || p->addr[2] || p->addr[3]);

	inet_ntop(four ? AF_INET : AF_INET6, p->addr, address, sizeof(address));
	snprintf(text, bytes, "%s%s %u%s", address, more ? " and more" : "", ntohs(p->port),
		 four || p->ip_version == 6 ? "" : " of no IP version");
}

static int has_frame(const struct spin_request *r)
{
	return r->type == SPIN_REQUEST_PACKET || r->type == SPIN_REQUEST_PUT_BYTES;
}

void send_line(const struct spin_request *r, char line[SEND_LINE_MAX])
{
	char target[96], source[96], acked[96] = "";

	format_process(&r->put.target, target, sizeof(target));
	if (r->type != SPIN_REQUEST_PACKET && r->acked)
		snprintf(acked, sizeof(acked), " options %u user %" PRIu64 " me %u", r->options, r->user_ptr, r->me);
	if (has_frame(r)) {
		snprintf(line, SEND_LINE_MAX, "packet to %s, IP header at %u%s", target, r->ip_at, acked);
		return;
	}
	format_process(&r->source, source, sizeof(source));
	snprintf(line, SEND_LINE_MAX, "%s %u %u to %s from %s match %" PRIu64 " data %" PRIu64 " off %" PRIu64 "%s",
		 r->type == SPIN_REQUEST_PUT ? "host" : "unknown", r->start, r->bytes, target, source, r->put.match_bits, r->put.hdr_data,
		 r->put.remote_offset, acked);
}

void send_request(const struct vector_send *send, struct spin_request *out)
{
	struct vector_headers w;

	*out = (struct spin_request){ .type = SPIN_REQUEST_PUT,
				      .start = send->start,
				      .bytes = send->bytes,
				      .source = send->source,
				      .put = send->put,
				      .acked = send->acked,
				      .options = send->options,
				      .user_ptr = send->user_ptr,
				      .me = send->me };
	if (!send->frame)
		return;
	out->type = send->acked ? SPIN_REQUEST_PUT_BYTES : SPIN_REQUEST_PACKET;
	out->bytes = send->frame_bytes;
	memcpy(out->frame, send->frame, send->frame_bytes < sizeof(out->frame) ? send->frame_bytes : sizeof(out->frame));
	if (vector_headers_udp(send->frame, send->frame_bytes, &w))
		return;
	out->ip_at = w.ip_at;
	send_destination(send->frame, &w, &out->put.target);
}

/* Compares one send. NULL: that side has no such send. */
static void add_send(struct differences *d, unsigned number, const struct spin_request *got, const struct spin_request *want)
{
	char a[SEND_LINE_MAX] = "none", b[SEND_LINE_MAX] = "none", what[32];

	if (got)
		send_line(got, a);
	if (want)
		send_line(want, b);
	snprintf(what, sizeof(what), "sent, %u", number);
	if (strcmp(a, b))
		differences_add(d, what, a, b);
	if (got && want && has_frame(got) && has_frame(want))
		differences_frame(d, want->frame, want->bytes, got->frame, got->bytes);
}

void vector_compare_sends(const struct vector_step *step, int mutation, struct vector_result *r)
{
	unsigned kept = r->sends->count < ENGINE_SENDS_MAX ? r->sends->count : ENGINE_SENDS_MAX;
	unsigned count = step->send_count + (mutation && !step->send_count);
	static struct spin_request want;

	for (unsigned i = 0; i < kept || i < count; i++) {
		if (i < step->send_count)
			send_request(&step->send[i], &want);
		else
			want = (struct spin_request){ .type = SPIN_REQUEST_PUT };
		if (mutation && i == step->line % count) {
			want.frame[want.bytes / 3 % sizeof(want.frame)] ^= 0x10;
			want.start ^= 8;
		}
		add_send(&r->differences, i + 1, i < kept ? &r->sends->send[i] : NULL, i < count ? &want : NULL);
	}
	if (r->sends->count > ENGINE_SENDS_MAX)
		differences_add(&r->differences, "sent", "more than are kept", "fewer");
}
