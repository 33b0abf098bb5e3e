/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A recording through several engines in step, so that the first packet they differ on is known. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/event.h"
#include "replay.h"
#include "stop.h"

struct running {
	struct engine *engine;
	struct engine_out out;
	struct image memory;
};

struct replay {
	struct replay_report *report;
	struct recording *recording;
	const struct types *types;
	struct image image[RECORDING_MOMENTS];
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
			err = engine_fail(-EINVAL, "%s has a variable %s of %zu bytes, the handler has %s: replay with the "
					  "handler that was recorded", r->report->path, symbol->name, symbol->bytes,
					  var ? "another size" : "none");
		else
			memcpy(image->bytes[var - r->types->var], symbol->mem[moment], symbol->bytes);
	}
	if (!err && recording->symbols != r->types->count)
		err = engine_fail(-EINVAL, "the handler has other variables than %s: replay with the handler that was "
				  "recorded", r->report->path);
	return err;
}

static int open_engines(struct replay *r, const struct engine_handler *handler, const struct spin_rule *rule)
{
	struct trial_engines *engines = r->report->engines;
	int err, any = 0;

	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		struct running *on = &r->on[kind];

		if (!engines->wanted[kind] || engines->cannot[kind])
			continue;
		err = engine_open((enum engine_kind)kind, handler, &(struct engine_context){ .rule = *rule }, &on->engine);
		if (engine_cannot(err) && !engines->must) {
			engines->cannot[kind] = strdup(engine_why());
			continue;
		}
		if (!err)
			err = image_alloc(r->types, &on->memory);
		if (!err)
			err = image_write(r->types, &r->image[RECORDING_BEFORE], on->engine);
		if (err)
			return err;
		if (!any)
			r->report->first = (enum engine_kind)kind;
		any = r->report->engine[kind].ran = 1;
	}
	return any ? 0 : engine_fail(-ENODATA, "none of the engines can run here");
}

static void add_outcome(struct differences *d, const struct engine_out *want, const struct engine_out *got)
{
	char a[128], b[128];

	if (want->reason != got->reason) {
		snprintf(a, sizeof(a), "%s %s", spin_verdict_name(got->verdict), spin_reason_name(got->reason));
		snprintf(b, sizeof(b), "%s %s", spin_verdict_name(want->verdict), spin_reason_name(want->reason));
		differences_add(d, "verdict", a, b);
	}
	if (want->event != got->event || (want->event && want->event_handler != got->event_handler)) {
		event_text(got->event, got->event_handler, a);
		event_text(want->event, want->event_handler, b);
		differences_add(d, "event", a, b);
	}
	differences_frame(d, want->frame, want->frame_bytes, got->frame, got->frame_bytes);
}

static int feed(struct replay *r, const struct recording_packet *packet, uint64_t number, uint64_t since_ns)
{
	struct replay_report *report = r->report;
	struct replay_split *split = &report->split;

	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		struct running *on = &r->on[kind];
		int err;

		if (!report->engine[kind].ran)
			continue;
		err = on->engine->ops->packet(on->engine, packet->frame, packet->bytes, &on->out);
		if (err) {
			char why[256];

			snprintf(why, sizeof(why), "%s", engine_why());
			return engine_fail(err, "packet %" PRIu64 " of %s on %s: %s", number, report->path,
					   engine_name((enum engine_kind)kind), why);
		}
		report->engine[kind].packets[on->out.reason]++;
		if (split->there || (enum engine_kind)kind == report->first)
			continue;
		add_outcome(&split->differences, &r->on[report->first].out, &on->out);
		if (!split->differences.count && !split->differences.left_out)
			continue;
		split->there = 1;
		split->packet = number;
		split->time_s = (double)since_ns * 1e-9;
		split->kind = (enum engine_kind)kind;
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
		report->differ |= e->from_recording.count || e->from_recording.left_out;
		report->disagree |= e->from_first.count || e->from_first.left_out;
	}
	report->disagree |= report->split.there;
	return 0;
}

static int run_packets(struct replay *r)
{
	struct recording_packet packet;
	uint64_t number = 0, first_ns = 0;
	int rc;

	while ((rc = recording__next(r->recording, &packet)) == 1) {
		if (!number++)
			first_ns = packet.time_ns;
		rc = feed(r, &packet, number, packet.time_ns - first_ns);
		if (rc)
			return rc;
		if (stop__signal())
			return engine_fail(-EINTR, "stopped by a signal");
	}
	return rc ? rc : compare(r);
}

int replay_run(struct recording *recording, const struct engine_handler *handler, const struct types *types,
	       struct replay_report *report)
{
	struct replay r = { .report = report, .recording = recording, .types = types };
	struct spin_rule rule;
	int err = 0;

	if (spin_rule__parse(recording->info.rule, &rule))
		err = engine_fail(-EINVAL, "%s: its rule: %s", report->path, spin_strerror_last());
	for (int moment = 0; moment < RECORDING_MOMENTS && !err; moment++)
		err = fill_image(&r, &r.image[moment], (enum recording_moment)moment);
	if (!err)
		err = open_engines(&r, handler, &rule);
	if (!err)
		err = run_packets(&r);
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		engine_close(r.on[kind].engine);
		image_free(&r.on[kind].memory);
	}
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
