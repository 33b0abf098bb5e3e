/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs a recording (traffic stored by spinctl record) on several engines (ways to execute a handler: host, kernel, model), packet by
 * packet, so that the first packet on which they differ is known. Called by replay.c. All engines see the same packets at the same virtual
 * time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/event.h"
#include "user/conformance/vector/compare.h"
#include "user/spinctl/replay/replay.h"
#include "user/spinctl/replay/host.h"
#include "user/tool/notify.h"

struct running {
	struct engine *engine;
	struct engine_out out;
	struct image memory;
	struct host_image host;
	struct replay_events events;
};

#define CLOCK_STEP_MS 100u /* step of the clock between packets, so that timeouts happen at their time */

struct replay {
	struct replay_report *report;
	struct recording *recording;
	const struct types *types;
	struct image image[RECORDING_MOMENTS];
	struct host_image host; /* recorded at the end */
	struct spin_segment segment[SPIN_SEGMENTS_MAX];
	uint32_t now_ms; /* milliseconds since the recording began */
	struct running on[ENGINE_KINDS];
};

static int fill_image(const struct replay *r, struct image *image, enum recording_moment moment)
{
	const struct recording *recording = r->recording;
	int err = image_alloc(r->types, image);

	for (unsigned i = 0; i < recording->symbols && !err; i++) {
		const struct recording_symbol *symbol = &recording->symbol[i];
		const struct layout_variable *var = types_find(r->types, symbol->name);

		if (!var || var->bytes != symbol->bytes)
			err = engine_fail(-EINVAL,
					  "%s has a variable %s of %zu bytes, the handler has %s: replay with the "
					  "handler that was recorded",
					  r->report->path, symbol->name, symbol->bytes, var ? "another size" : "none");
		else
			memcpy(image->bytes[var - r->types->var], symbol->mem[moment], symbol->bytes);
	}
	if (!err && recording->symbols != r->types->count)
		err = engine_fail(-EINVAL,
				  "the handler has other variables than %s: replay with the handler that was "
				  "recorded",
				  r->report->path);
	return err;
}

static int open_engines(struct replay *r, const struct engine_handler *handler, const struct spin_rule *rule)
{
	struct comparison_engines *engines = r->report->engines;
	struct engine_context context = { .rule = *rule };
	int err, any = 0;

	replay_host__options(r->recording, &context.message, r->segment);

	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		struct running *on = &r->on[kind];

		if (!engines->wanted[kind] || engines->cannot[kind])
			continue;
		err = engine_open((enum engine_kind)kind, handler, &context, &on->engine);
		if (engine_cannot(err) && !engines->must) {
			engines->cannot[kind] = strdup(engine_error());
			continue;
		}
		if (!err)
			err = image_alloc(r->types, &on->memory);
		if (!err)
			err = image_write(r->types, &r->image[RECORDING_BEFORE], on->engine);
		if (!err)
			err = replay_host__start(r->recording, r->types, on->engine);
		if (err)
			return err;
		if (!any)
			r->report->first = (enum engine_kind)kind;
		any = r->report->engine[kind].ran = 1;
	}
	return any ? 0 : engine_fail(-ENODATA, "none of the engines can run here");
}

/* Adds the differences between the events of one packet or clock step, one by one. */
static void add_events(struct differences *d, const struct engine_events *want, const struct engine_events *got)
{
	char a[EVENT_LINE_MAX], b[EVENT_LINE_MAX], what[32];

	for (unsigned i = 0; i < ENGINE_EVENTS_MAX && (i < want->count || i < got->count); i++) {
		snprintf(a, sizeof(a), "none");
		snprintf(b, sizeof(b), "none");
		if (i < got->count)
			event_line(&got->event[i], a);
		if (i < want->count)
			event_line(&want->event[i], b);
		snprintf(what, sizeof(what), "event %u", i + 1);
		if (strcmp(a, b))
			differences_add(d, what, a, b);
	}
}

static void add_result(struct differences *d, const struct engine_out *want, const struct engine_out *got, int messages)
{
	char a[128], b[128];

	if (want->reason != got->reason) {
		snprintf(a, sizeof(a), "%s %s", spin_verdict_name(got->verdict), spin_reason_name(got->reason));
		snprintf(b, sizeof(b), "%s %s", spin_verdict_name(want->verdict), spin_reason_name(want->reason));
		differences_add(d, "verdict", a, b);
	}
	if (messages) {
		add_events(d, &want->events, &got->events);
	} else if (want->event != got->event || (want->event && want->event_handler != got->event_handler)) {
		event_text(got->event, got->event_handler, a);
		event_text(want->event, want->event_handler, b);
		differences_add(d, "event", a, b);
	}
	differences_frame(d, want->frame, want->frame_bytes, got->frame, got->frame_bytes);
}

/* Records the first packet on which engines differ. Returns 1 if this is the one. */
static int record_split(struct replay *r, enum engine_kind kind, uint64_t number, uint64_t since_ns)
{
	struct replay_split *split = &r->report->split;

	if (!split->differences.count && !split->differences.left_out)
		return 0;
	split->there = 1;
	split->packet = number;
	split->time_s = (double)since_ns * 1e-9;
	split->kind = kind;
	return 1;
}

static int fail_on(const struct replay *r, int err, uint64_t number, int kind)
{
	char message[256];

	snprintf(message, sizeof(message), "%s", engine_error());
	return engine_fail(err, "packet %" PRIu64 " of %s on %s: %s", number, r->report->path, engine_name((enum engine_kind)kind),
			   message);
}

/* Sets the clock of all engines. `number`: the packet before. */
static int step_clock(struct replay *r, uint32_t now_ms, uint64_t number, uint64_t since_ns)
{
	struct replay_report *report = r->report;

	r->now_ms = now_ms;
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		struct running *on = &r->on[kind];
		int err;

		if (!report->engine[kind].ran)
			continue;
		err = on->engine->ops->clock(on->engine, now_ms, &on->out.events);
		if (!err)
			err = replay_events__add(&on->events, &on->out.events);
		if (err)
			return fail_on(r, err, number, kind);
		if (report->split.there || (enum engine_kind)kind == report->first)
			continue;
		add_events(&report->split.differences, &r->on[report->first].out.events, &on->out.events);
		record_split(r, (enum engine_kind)kind, number, since_ns);
	}
	return 0;
}

/* Advances the clock in steps to the time of a packet, or to the end. */
static int advance_clock(struct replay *r, uint64_t to_ms, uint64_t number, uint64_t since_ns)
{
	int err = 0;

	if (!r->types->messages || to_ms > UINT32_MAX)
		return 0;
	while (r->now_ms < to_ms && !err && !signals__signal()) {
		uint32_t left = (uint32_t)to_ms - r->now_ms;

		err = step_clock(r, r->now_ms + (left < CLOCK_STEP_MS ? left : CLOCK_STEP_MS), number, since_ns);
	}
	return err;
}

static int run_packet(struct replay *r, const struct recording_packet *packet, uint64_t number, uint64_t since_ns)
{
	struct replay_report *report = r->report;
	struct replay_split *split = &report->split;

	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		struct running *on = &r->on[kind];
		int err;

		if (!report->engine[kind].ran)
			continue;
		err = on->engine->ops->set_time(on->engine, since_ns); /* the clock of the handlers starts at the first packet */
		if (!err)
			err = on->engine->ops->packet(on->engine, packet->frame, packet->bytes, &on->out);
		if (!err && r->types->messages)
			err = replay_events__add(&on->events, &on->out.events);
		if (err)
			return fail_on(r, err, number, kind);
		report->engine[kind].packets[on->out.reason]++;
		if (split->there || (enum engine_kind)kind == report->first)
			continue;
		add_result(&split->differences, &r->on[report->first].out, &on->out, r->types->messages);
		record_split(r, (enum engine_kind)kind, number, since_ns);
	}
	return 0;
}

static void add_counters(struct differences *d, const uint64_t *want, const uint64_t *got)
{
	for (int i = 0; i < SPIN_REASON_COUNT; i++) {
		char what[64], a[32], b[32];

		if (want[i] == got[i])
			continue;
		snprintf(what, sizeof(what), "packets %s", spin_reason_name((enum spin_reason)i));
		snprintf(a, sizeof(a), "%" PRIu64, got[i]);
		snprintf(b, sizeof(b), "%" PRIu64, want[i]);
		differences_add(d, what, a, b);
	}
}

/* Compares host memory, entries, counters of entries, and events. */
static int compare_host(struct replay *r, int kind)
{
	struct replay_engine *e = &r->report->engine[kind];
	struct running *on = &r->on[kind], *first = &r->on[r->report->first];
	int err;

	if (!r->recording->has_context || !r->types->host_memory)
		return 0;
	err = host_image_alloc(r->types, &on->host, (size_t)r->recording->context.host_bytes);
	if (!err)
		err = host_image_read(&on->host, on->engine);
	if (err)
		return err;
	vector_compare_images(&e->from_recording, &r->host, &on->host);
	vector_compare_images(&e->from_first, &first->host, &on->host);
	if (r->types->messages)
		replay_events__differ(&e->from_recording, r->recording->event, r->recording->events, &on->events);
	return 0;
}

static int compare(struct replay *r)
{
	struct replay_report *report = r->report;

	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		struct replay_engine *e = &report->engine[kind];
		int err;

		if (!e->ran)
			continue;
		err = image_read(r->types, &r->on[kind].memory, r->on[kind].engine);
		if (err)
			return err;
		add_counters(&e->from_recording, report->info->counters, e->packets);
		differences_memory(&e->from_recording, r->types, &r->image[RECORDING_AFTER], &r->on[kind].memory);
		differences_memory(&e->from_first, r->types, &r->on[report->first].memory, &r->on[kind].memory);
		err = compare_host(r, kind);
		if (err)
			return err;
		report->differ |= e->from_recording.count || e->from_recording.left_out;
		report->disagree |= e->from_first.count || e->from_first.left_out;
	}
	report->disagree |= report->split.there;
	return 0;
}

/* Converts a time since 1970 to milliseconds since the start of the recording. */
static uint64_t recording_ms(const struct replay *r, uint64_t time_ns)
{
	const uint64_t start_ns = r->recording->context.start_ns;

	return time_ns > start_ns ? (time_ns - start_ns) / 1000000 : 0;
}

static int run_packets(struct replay *r)
{
	struct recording_packet packet;
	uint64_t number = 0, first_ns = 0;
	int rc;

	while ((rc = recording__next(r->recording, &packet)) == 1) {
		if (!number++)
			first_ns = packet.time_ns;
		rc = advance_clock(r, recording_ms(r, packet.time_ns), number - 1, packet.time_ns - first_ns);
		if (!rc)
			rc = run_packet(r, &packet, number, packet.time_ns - first_ns);
		if (rc)
			return rc;
		if (signals__signal())
			return engine_fail(-EINTR, "stopped by a signal");
	}
	if (!rc)
		rc = advance_clock(r, r->recording->info.duration_ns / 1000000, number, r->recording->info.duration_ns);
	return rc ? rc : compare(r);
}

int replay_run(struct recording *recording, const struct engine_handler *handler, const struct types *types, struct replay_report *report)
{
	struct replay r = { .report = report, .recording = recording, .types = types };
	struct spin_rule rule;
	int err = 0;

	if (spin_rule__parse(recording->info.rule, &rule))
		err = engine_fail(-EINVAL, "%s: its rule: %s", report->path, spin_strerror_last());
	for (int moment = 0; moment < RECORDING_MOMENTS && !err; moment++)
		err = fill_image(&r, &r.image[moment], (enum recording_moment)moment);
	if (!err && recording->has_context && types->host_memory)
		err = replay_host__recorded(recording, types, &r.host);
	if (!err)
		err = open_engines(&r, handler, &rule);
	if (!err)
		err = run_packets(&r);
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		engine_close(r.on[kind].engine);
		image_free(&r.on[kind].memory);
		host_image_free(&r.on[kind].host);
		replay_events__free(&r.on[kind].events);
	}
	host_image_free(&r.host);
	for (int moment = 0; moment < RECORDING_MOMENTS; moment++)
		image_free(&r.image[moment]);
	return err;
}

void replay_report_free(struct replay_report *r)
{
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		differences_free(&r->engine[kind].from_recording);
		differences_free(&r->engine[kind].from_first);
	}
	differences_free(&r->split.differences);
}
