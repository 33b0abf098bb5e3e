/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Gives the reference of TCP segments (reference.h) the interface of an engine, with the handlers of tests/handlers/segments/seg_random.h
 * in plain C: they must do what that file does in the kernel and on the HPU. Called by compare.c and by broken_rules_are_noticed.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spin/libspin.h>
#include <spin/return.h>
#include <spin/wire.h>

#include "tests/common/built.h"
#include "tests/handlers/segments/seg_random.h"
#include "tests/reference/state.h"
#include "user/conformance/event.h"

#include "tests/segments/frame.h"
#include "tests/segments/reference_engine.h"

struct impl {
	struct reference_state symbol; /* `state` */
	struct segref reference;
	struct seg_state state;
	int numbered;     /* there is a header handler, which sets the connection's slot */
	uint8_t *payload; /* of the segment, in the resulting frame */
	int rewritten;
};

struct segref *segref_engine_reference(struct engine *e)
{
	return &((struct impl *)e->impl)->reference;
}

static uint32_t ports_of(const struct segref_segment *s)
{
	return (uint32_t)s->key.src_port << 16 | s->key.dst_port;
}

static void note(struct seg_state *state, const struct seg_run *run)
{
	const uint32_t words[] = { run->kind, run->ports, run->length, run->at, run->packet, run->seen, run->before };

	state->run[state->runs % SEG_RUNS] = *run;
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		state->hash = (state->hash ^ words[i]) * 16777619;
	state->runs++;
}

static uint32_t seen_bytes(const struct segref_segment *s)
{
	uint32_t seen = 0;

	if (s->bytes > 0)
		seen = 1u << 24 | s->payload[0];
	if (s->bytes > 1)
		seen += 1u << 24 | (uint32_t)s->payload[1] << 8;
	if (s->bytes > 4)
		seen += 1u << 24 | (uint32_t)s->payload[4] << 16;
	return seen;
}

static uint32_t run_header(void *arg, const struct segref_segment *s)
{
	struct impl *i = arg;
	const struct seg_run run = {
		.kind = SEG_HEADER, .ports = ports_of(s), .length = SPIN_LENGTH_UNKNOWN, .packet = s->flags, .seen = seen_bytes(s)
	};

	note(&i->state, &run);
	return s->dscp ^ SPIN_RC_PROCESS_DATA;
}

static void rewrite(struct impl *i, const struct segref_segment *s)
{
	const uint16_t half = SEG_REWRITE16;
	const uint32_t word = SEG_REWRITE32;

	for (unsigned at = 0; at < 2 && s->bytes >= 4; at++)
		i->payload[2 + at] ^= ((const uint8_t *)&half)[at];
	for (unsigned at = 0; at < 4 && s->bytes >= 8; at++)
		i->payload[4 + at] ^= ((const uint8_t *)&word)[at];
	i->rewritten = s->bytes >= 4;
}

static uint32_t run_payload(void *arg, const struct segref_segment *s, uint32_t offset)
{
	/* by enum seg_ask */
	static const uint32_t codes[] = { SPIN_RC_SUCCESS,      SPIN_RC_DROP,    SPIN_RC_FAIL,    SPIN_RC_SEGV,
					  SPIN_RC_PROCESS_DATA, SPIN_RC_REPLIED, SPIN_RC_PENDING, SPIN_RC_OVERRUN };
	struct impl *i = arg;
	struct seg_run run = { .kind = SEG_PAYLOAD, .ports = ports_of(s), .length = s->bytes, .at = offset };

	run.packet = s->flags;
	run.seen = seen_bytes(s);
	if (i->numbered)
		run.before = segref_find(&i->reference, &s->key)->scratch++;
	note(&i->state, &run);
	if (s->ttl & SEG_REWRITES)
		rewrite(i, s);
	return codes[s->ttl & 7];
}

static uint32_t run_completion(void *arg, const struct segref_segment *s, uint32_t length, uint32_t dropped_bytes, int flow_control)
{
	struct impl *i = arg;
	struct seg_run run = { .kind = SEG_COMPLETION, .ports = ports_of(s), .length = length, .at = dropped_bytes };
	uint32_t ask = s->key.src_port & 7;

	run.packet = s->ttl;
	run.seen = flow_control != 0;
	if (i->numbered)
		run.before = segref_find(&i->reference, &s->key)->scratch;
	note(&i->state, &run);
	return ask == SEG_PENDING ? SPIN_RC_PENDING : ask; /* the other values are the codes */
}

/* --- the interface --- */

static void copy_events(const struct segref_segment *s, const struct segref_result *result, struct engine_events *out)
{
	out->count = result->events;
	for (unsigned i = 0; i < result->events; i++) {
		struct spin_event *event = &out->event[i];

		memset(event, 0, sizeof(*event));
		event->type = result->event[i].type;
		event->handler = result->event[i].handler;
		event->ip_version = s->key.ip_version;
		memcpy(event->src_addr, s->key.src, s->key.ip_version == 4 ? 4 : 16);
		event->src_port = s->key.src_port;
		event->dst_port = s->key.dst_port;
	}
}

static int packet(struct engine *e, const uint8_t *frame, uint32_t bytes, struct engine_out *out)
{
	struct segref_result result = { .reason = SPIN_REASON_UDP_CHECKSUM };
	struct segframe_parsed parsed;
	struct impl *i = e->impl;

	if (!segframe_parse(frame, bytes, &parsed))
		return engine_fail(-EINVAL, "the reference takes frames with a TCP segment only");
	memcpy(out->frame, frame, bytes);
	i->payload = out->frame + parsed.payload;
	i->rewritten = 0;
	if (parsed.is_right || parsed.is_partial)
		segref_handle(&i->reference, &parsed.segment, &result);
	/* a local sender's sum does not include the payload */
	if (i->rewritten && !parsed.is_partial)
		segframe_set_sum(out->frame, &parsed);
	out->reason = result.reason;
	out->verdict = spin_reason_verdict(result.reason);
	out->frame_bytes = out->verdict == SPIN_VERDICT_PASS ? bytes : 0;
	copy_events(&parsed.segment, &result, &out->events);
	events_first_error(&out->events, &out->event, &out->event_handler);
	return 0;
}

static void close_engine(struct engine *e)
{
	struct impl *i = e->impl;

	segref_stop(&i->reference);
	free(i);
}

static const struct engine_ops ops = {
	.name = "reference",
	.close = close_engine,
	.packet = packet,
	.read = reference_state_read,
	.write = reference_state_write,
};

int segref_engine_open(const char *handler, enum segref_rule breaks, struct engine **out)
{
	struct segref_handlers handlers = { .header = run_header, .payload = run_payload, .completion = run_completion };
	int one = !strcmp(handler, "seg_random_one");
	struct engine *e;
	struct impl *i;

	if (one || !strcmp(handler, "seg_random_pay"))
		handlers.header = NULL;
	if (one)
		handlers.completion = NULL;
	if (!strcmp(handler, "seg_random_head"))
		handlers.payload = NULL;
	else if (handlers.header && strcmp(handler, "seg_random") != 0)
		return engine_fail(-ENOENT, "the reference does not know what %s does", handler);
	e = calloc(1, sizeof(*e));
	i = calloc(1, sizeof(*i));
	if (!e || !i)
		abort();
	e->ops = &ops;
	e->impl = i;
	i->symbol = (struct reference_state){ .at = &i->state, .bytes = sizeof(i->state) };
	handlers.arg = i;
	i->numbered = handlers.header != NULL;
	segref_start(&i->reference, &handlers, breaks);
	*out = e;
	return 0;
}

int segment_engine_open(enum engine_kind kind, const char *handler, struct engine **out)
{
	const struct engine_context context = { .rule = { .protocol = SPIN_IP_TCP } };
	struct built built;
	int err = built_handler(handler, &built);

	return err ? err : engine_open(kind, &built.handler, &context, out);
}
