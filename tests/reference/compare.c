/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs one schedule (a sequence of packets, clock steps and calls) on the reference, a plain-C model of the message protocol, and on an
 * engine (a real execution of the handlers), and compares all visible state after every step. Called by tests/messages/random_schedules.c
 * and broken_rules_are_noticed.c, through schedule.h.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/compare.h"
#include "tests/reference/engine_reference.h"

#define MES_EACH_STEP 8u /* compared after every step; all are compared at the end */

int pair_differ(struct pair *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(p->reason, p->reason_bytes, format, args);
	va_end(args);
	return 1;
}

const char *pair_name(const struct pair *p)
{
	return p->engine[1]->ops->name;
}

/* Keeps the compared fields of an event. Of a run only which handler ran is compared. */
static struct spin_event compared_fields(const struct spin_event *event)
{
	struct spin_event e = *event;

	e.hpu = 0;
	if (e.type == SPIN_EVENT_RAN) {
		e.length = e.me = e.dropped_bytes = e.deposited_bytes = e.flags = 0;
		e.match_bits = e.hdr_data = 0;
		e.me_start = e.me_length = e.me_serial = 0;
		e.dst_port = 0;
	}
	return e;
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct spin_event));
}

static void format_event(const struct spin_event *e, char *text, size_t bytes)
{
	snprintf(text, bytes,
		 "type %u handler %u source %08x:%u-%u message %u length %u me %u offset %u dropped %u deposited %u "
		 "flags %#x match %#llx hdr %#llx entry %u+%u serial %u",
		 e->type, e->handler, e->src_addr[0], e->src_port, e->dst_port, e->message_id, e->length, e->me, e->offset,
		 e->dropped_bytes, e->deposited_bytes, e->flags, (unsigned long long)e->match_bits, (unsigned long long)e->hdr_data,
		 e->me_start, e->me_length, e->me_serial);
}

static int compare_events(struct pair *p, struct engine_events *a, struct engine_events *b, int in_order)
{
	struct engine_events *both[2] = { a, b };
	unsigned count = a->count < ENGINE_EVENTS_MAX ? a->count : ENGINE_EVENTS_MAX;
	char text[2][320];

	if (a->count != b->count) {
		format_event(&both[b->count > a->count]->event[0], text[0], sizeof(text[0]));
		return pair_differ(p, "%u events, %s has %u; first of more: %s", a->count, pair_name(p), b->count, text[0]);
	}
	for (int i = 0; i < 2; i++) {
		for (unsigned j = 0; j < count; j++)
			both[i]->event[j] = compared_fields(&both[i]->event[j]);
		if (!in_order && a->count <= ENGINE_EVENTS_MAX)
			qsort(both[i]->event, count, sizeof(both[i]->event[0]), by_bytes);
	}
	for (unsigned j = 0; j < count && (in_order || a->count <= ENGINE_EVENTS_MAX); j++) {
		if (!memcmp(&a->event[j], &b->event[j], sizeof(a->event[j])))
			continue;
		format_event(&a->event[j], text[0], sizeof(text[0]));
		format_event(&b->event[j], text[1], sizeof(text[1]));
		return pair_differ(p, "event %u of %u:\n  reference  %s\n  %-9s  %s", j + 1, count, text[0], pair_name(p), text[1]);
	}
	return 0;
}

static int compare_packet(struct pair *p, const struct step *step, struct schedule_tally *tally)
{
	static uint8_t frame[ENGINE_FRAME_MAX];
	uint32_t bytes = step_frame(step, frame);
	struct engine_out *a = &p->out[0], *b = &p->out[1];

	for (int i = 0; i < 2; i++) {
		int err = p->engine[i]->ops->packet(p->engine[i], frame, bytes, &p->out[i]);

		if (err)
			return err;
	}
	if (tally) {
		tally->packets++;
		tally->reasons[a->reason]++;
		for (unsigned i = 0; i < a->events.count && i < ENGINE_EVENTS_MAX; i++)
			tally->events[a->events.event[i].type]++;
	}
	if (a->reason != b->reason)
		return pair_differ(p, "%s, %s says %s", spin_reason_name(a->reason), pair_name(p), spin_reason_name(b->reason));
	if (a->verdict != b->verdict)
		return pair_differ(p, "verdict %s, %s says %s (%s)", spin_verdict_name(a->verdict), pair_name(p),
				   spin_verdict_name(b->verdict), spin_reason_name(a->reason));
	if (a->frame_bytes != b->frame_bytes)
		return pair_differ(p, "acknowledgement of %u bytes, %s has %u", a->frame_bytes, pair_name(p), b->frame_bytes);
	for (uint32_t i = 0; i < a->frame_bytes; i++)
		if (a->frame[i] != b->frame[i])
			return pair_differ(p, "byte %u of the acknowledgement is %02x, %s has %02x", i, a->frame[i], pair_name(p),
					   b->frame[i]);
	if (a->event != b->event || (a->event && a->event_handler != b->event_handler))
		return pair_differ(p, "first error %u of handler %u, %s says %u of %u", a->event, a->event_handler, pair_name(p), b->event,
				   b->event_handler);
	return compare_events(p, &a->events, &b->events, 1);
}

static int compare_clock(struct pair *p, const struct step *step, struct schedule_tally *tally)
{
	static struct engine_events events[2];

	p->now_ms += step->advance_ms;
	for (int i = 0; i < 2; i++) {
		int err = p->engine[i]->ops->clock(p->engine[i], p->now_ms, &events[i]);

		if (err)
			return err;
	}
	for (unsigned i = 0; tally && i < events[0].count && i < ENGINE_EVENTS_MAX; i++)
		tally->events[events[0].event[i].type]++;
	return compare_events(p, &events[0], &events[1], 0);
}

static int compare_entry_call(struct pair *p, const struct step *step)
{
	int err[2];
	unsigned me[2] = { 0, 0 };

	for (int i = 0; i < 2; i++)
		err[i] = step->kind == STEP_POST ? p->engine[i]->ops->me_append(p->engine[i], &step->me, &me[i])
						 : p->engine[i]->ops->me_unlink(p->engine[i], step->index);
	if (err[0] != err[1])
		return pair_differ(p, "%s entry: %s, %s says %s", step->kind == STEP_POST ? "posting an" : "unlinking the",
				   strerror(-err[0]), pair_name(p), err[1] ? engine_error() : "it is done");
	if (me[0] != me[1])
		return pair_differ(p, "posted as entry %u, %s says %u", me[0], pair_name(p), me[1]);
	return 0;
}

static int reset_engines(struct pair *p)
{
	static const struct script_state zero;
	int err = 0;

	for (int i = 0; i < 2 && !err; i++) {
		struct engine *e = p->engine[i];

		err = e->ops->reset(e);
		if (!err)
			err = e->ops->write(e, "spin_state", 0, &zero, sizeof(zero));
		if (!err)
			err = e->ops->stats(e, &p->before[i]);
	}
	return err;
}

static int compare_step(struct pair *p, const struct step *step, struct schedule_tally *tally)
{
	switch (step->kind) {
	case STEP_PACKET:
		return compare_packet(p, step, tally);
	case STEP_CLOCK:
		return compare_clock(p, step, tally);
	default:
		return compare_entry_call(p, step);
	}
}

int schedule_compare(const struct schedule *s, struct engine *reference, struct engine *engine, char *reason, size_t reason_bytes,
		     struct schedule_tally *tally)
{
	static struct pair p;
	char text[768];
	int err;

	p = (struct pair){ .engine = { reference, engine }, .reason = text, .reason_bytes = sizeof(text) };
	err = reset_engines(&p);
	for (unsigned i = 0; i < s->steps && !err; i++) {
		err = compare_step(&p, &s->step[i], tally);
		/* a clock step handles parked packets of several messages in unspecified order, so their handlers' effects may differ */
		if (!err && s->step[i].kind == STEP_CLOCK && engine_reference(reference)->replayed_messages > 1) {
			if (tally)
				tally->cut_short++;
			break;
		}
		if (!err)
			err = pair_compare_stats(&p);
		if (!err)
			err = pair_compare_entries(&p, i + 1 == s->steps ? SPIN_MES_MAX : MES_EACH_STEP);
		if (!err)
			err = pair_compare_memory(&p, schedule_setups[s->setup].message.host_bytes);
		if (err == 1)
			snprintf(reason, reason_bytes, "step %u: %s", i + 1, text);
		if (tally)
			tally->steps++;
	}
	if (tally)
		tally->schedules++;
	return err;
}
