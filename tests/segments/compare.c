/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs a schedule of TCP segments on the reference and on an engine (a real execution of the handlers), and compares reason, verdict,
 * frame, events and the handlers' trace after each segment. Called by random_schedules.c and broken_rules_are_noticed.c, through
 * schedule.h.
 */
#include <stdarg.h>
#include <string.h>

#include <spin/libspin.h>
#include <spin/wire.h>

#include "tests/handlers/segments/seg_random.h"
#include "tests/segments/reference_engine.h"
#include "tests/segments/schedule.h"

struct comparison {
	struct segment_pair *pair;
	struct engine_out out[2];
	struct seg_state state[2]; /* SEG_STATE_COMPARED bytes */
	const char *name;          /* of the engine */
	char *reason;
	size_t reason_bytes;
};

__attribute__((format(printf, 2, 3))) static int differ(struct comparison *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->reason, c->reason_bytes, format, args);
	va_end(args);
	return 1;
}

static int compare_events(struct comparison *c)
{
	const struct engine_events *a = &c->out[0].events, *b = &c->out[1].events;

	if (a->count != b->count)
		return differ(c, "%u events, %s has %u, first of type %u", a->count, c->name, b->count,
			      (a->count > b->count ? a : b)->event[0].type);
	for (unsigned i = 0; i < a->count && i < ENGINE_EVENTS_MAX; i++) {
		const struct spin_event *x = &a->event[i], *y = &b->event[i];

		if (x->type != y->type || x->handler != y->handler)
			return differ(c, "event %u of handler %u, %s says %u of %u", x->type, x->handler, c->name, y->type, y->handler);
		if (x->ip_version != y->ip_version || memcmp(x->src_addr, y->src_addr, sizeof(x->src_addr)) || x->src_port != y->src_port ||
		    x->dst_port != y->dst_port)
			return differ(c, "event %u: of another connection, %s says IPv%u, ports %u to %u", x->type, c->name, y->ip_version,
				      y->src_port, y->dst_port);
	}
	return 0;
}

/* The checksum of a frame whose payload was rewritten may have either form of zero, so it is computed. */
static int compare_frames(struct comparison *c, const uint8_t *arrived)
{
	const struct engine_out *a = &c->out[0], *b = &c->out[1];
	struct segframe_parsed before, after;
	uint32_t sum;

	if (a->frame_bytes != b->frame_bytes)
		return differ(c, "frame of %u bytes, %s has %u", a->frame_bytes, c->name, b->frame_bytes);
	if (!a->frame_bytes)
		return 0;
	if (!segframe_parse(arrived, a->frame_bytes, &before) || !segframe_parse(b->frame, b->frame_bytes, &after))
		return differ(c, "%s changed the frame's headers", c->name);
	sum = before.tcp + 16;
	for (uint32_t i = 0; i < a->frame_bytes; i++)
		if (i != sum && i != sum + 1 && a->frame[i] != b->frame[i])
			return differ(c, "byte %u of the frame is %02x, %s has %02x (payload begins at %u)", i, a->frame[i], c->name,
				      b->frame[i], before.payload);
	if (!memcmp(a->frame + sum, b->frame + sum, 2))
		return 0;
	if (!memcmp(a->frame, arrived, a->frame_bytes))
		return differ(c, "checksum %02x%02x of an untouched frame, %s has %02x%02x", a->frame[sum], a->frame[sum + 1], c->name,
			      b->frame[sum], b->frame[sum + 1]);
	if (after.is_right && before.is_right)
		return 0;
	return differ(c, "checksum of the rewritten segment is %02x%02x, %s has %02x%02x", a->frame[sum], a->frame[sum + 1], c->name,
		      b->frame[sum], b->frame[sum + 1]);
}

static const char *run_name(uint32_t kind)
{
	static const char *const names[] = { "none", "header", "payload", "completion" };

	return kind < 4 ? names[kind] : "unknown";
}

static void format_run(const struct seg_run *run, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s ports %u to %u length %u %s %u packet %#x seen %#x after %u payload handlers", run_name(run->kind),
		 run->ports >> 16, run->ports & 0xffff, run->length, run->kind == SEG_COMPLETION ? "dropped" : "offset", run->at,
		 run->packet, run->seen, run->before);
}

static int compare_state(struct comparison *c)
{
	const struct seg_state *a = &c->state[0], *b = &c->state[1];
	char text[2][160];

	for (int i = 0; i < 2; i++) {
		struct engine *e = c->pair->engine[i];
		int err = e->ops->read(e, "spin_state", 0, &c->state[i], SEG_STATE_COMPARED);

		if (err)
			return err;
	}
	if (!memcmp(a, b, SEG_STATE_COMPARED))
		return 0;
	for (uint32_t i = 0; i < SEG_RUNS; i++) {
		if (!memcmp(&a->run[i], &b->run[i], sizeof(a->run[i])))
			continue;
		format_run(&a->run[i], text[0], sizeof(text[0]));
		format_run(&b->run[i], text[1], sizeof(text[1]));
		return differ(c, "%u handlers ran, in %s %u:\n  reference  %s\n  %-9s  %s", a->runs, c->name, b->runs, text[0], c->name,
			      text[1]);
	}
	return differ(c, "%u handlers ran, in %s %u; %u with another connection's number", a->runs, c->name, b->runs, b->strangers);
}

static int compare_segment(struct comparison *c, const struct segref_segment *segment, const struct segframe_shape *shape)
{
	static uint8_t frame[ENGINE_FRAME_MAX];
	uint32_t bytes = segframe_build(segment, shape, frame);
	int err;

	for (int i = 0; i < 2; i++) {
		struct engine *e = c->pair->engine[i];

		err = e->ops->packet(e, frame, bytes, &c->out[i]);
		if (err)
			return err;
	}
	if (c->out[0].reason != c->out[1].reason)
		return differ(c, "%s, %s says %s", spin_reason_name(c->out[0].reason), c->name, spin_reason_name(c->out[1].reason));
	if (c->out[0].verdict != c->out[1].verdict)
		return differ(c, "verdict %s, %s says %s (%s)", spin_verdict_name(c->out[0].verdict), c->name,
			      spin_verdict_name(c->out[1].verdict), spin_reason_name(c->out[0].reason));
	err = compare_frames(c, frame);
	if (!err)
		err = compare_state(c);
	return err ? err : compare_events(c);
}

/*
 * Leaves each key with a connection that has ended at SEGMENT_EARLIER, whatever an earlier schedule has left: a SYN with another start
 * begins a connection in any case, so one of the two does, and RST ends it.
 */
static int end_earlier(const struct segment_schedule *s, struct comparison *c)
{
	const struct segment_step steps[] = { { .flags = SPIN_TCP_SYN, .seq = SEGMENT_EARLIER + 5000 },
					      { .flags = SPIN_TCP_SYN, .seq = SEGMENT_EARLIER - 1 },
					      { .flags = SPIN_TCP_RST, .seq = SEGMENT_EARLIER } };
	int err = 0;

	for (unsigned i = 0; i < s->connections; i++) {
		for (unsigned j = 0; j < 3 && !err; j++) {
			struct segment_step step = steps[j];
			struct segref_segment segment;

			step.connection = (uint8_t)i;
			segment_of_step(s, &step, 0, &segment);
			err = compare_segment(c, &segment, &step.shape);
		}
	}
	return err;
}

static int clear_state(struct comparison *c)
{
	static const struct seg_state zero;
	int err = 0;

	for (int i = 0; i < 2 && !err; i++) {
		struct engine *e = c->pair->engine[i];

		err = e->ops->write(e, "spin_state", 0, &zero, SEG_STATE_COMPARED);
	}
	return err;
}

static void count(const struct comparison *c, struct segment_tally *tally, uint32_t runs_before)
{
	const struct seg_state *state = &c->state[0];

	tally->segments++;
	tally->reasons[c->out[0].reason]++;
	for (unsigned i = 0; i < c->out[0].events.count; i++)
		tally->events[c->out[0].events.event[i].type]++;
	for (uint32_t i = runs_before; i < state->runs; i++)
		tally->runs[state->run[i % SEG_RUNS].kind]++;
}

int segment_schedule_compare(const struct segment_schedule *s, struct segment_pair *pair, char *reason, size_t reason_bytes,
			     struct segment_tally *tally)
{
	static struct comparison c;
	unsigned generation = s->fresh ? ++pair->fresh : 0;
	char text[768] = "";
	int err;

	c.pair = pair;
	c.name = pair->engine[1]->ops->name;
	c.reason = text;
	c.reason_bytes = sizeof(text);
	c.state[0].runs = 0;
	err = clear_state(&c);
	if (!err && !s->fresh)
		err = end_earlier(s, &c);
	if (err == 1)
		snprintf(reason, reason_bytes, "while the keys' earlier connections end: %s", text);
	if (!err)
		err = clear_state(&c);
	c.state[0].runs = 0;
	for (unsigned i = 0; i < s->steps && !err; i++) {
		struct segref_segment segment;
		uint32_t runs_before = c.state[0].runs;

		segment_of_step(s, &s->step[i], generation, &segment);
		err = compare_segment(&c, &segment, &s->step[i].shape);
		if (err == 1)
			snprintf(reason, reason_bytes, "step %u: %s", i + 1, text);
		if (tally && !err)
			count(&c, tally, runs_before);
	}
	if (tally)
		tally->schedules++;
	return err;
}
