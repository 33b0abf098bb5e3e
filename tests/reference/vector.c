/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes a schedule, which is a generated sequence of packets, clock steps and calls (schedule.h), as a test vector
 * (tests/vectors/README.md). The vector expects what the reference, the plain-C model of the message engine, does at each step. Called when
 * a random schedule fails, so that the failure can be kept as a regression test. Names of fields must be those of struct script_state, in
 * its order.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/event.h"

#include "tests/reference/engine_reference.h"
#include "tests/reference/schedule.h"

struct writer {
	FILE *to;
	struct engine *engine;
	const struct reference *r;
	struct script_state state; /* before the step */
	struct spin_me me[SPIN_MES_MAX];
	uint8_t *host;
};

static void write_hex(FILE *to, const uint8_t *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		fprintf(to, "%02x", at[i]);
	fputc('\n', to);
}

static void write_context(const struct schedule_setup *setup, FILE *to)
{
	const struct spin_message_opts *o = &setup->message;

	fprintf(to, "handler %s\nrule udp dport %u\nhost %zu\n", setup->handler, SCHEDULE_PORT, o->host_bytes);
	if (o->messages)
		fprintf(to, "messages %u\n", o->messages);
	if (o->parking)
		fprintf(to, "parking %u\n", o->parking);
	if (o->idle_ms)
		fprintf(to, "idle %u\n", o->idle_ms);
	if (o->tombstone_ms)
		fprintf(to, "tombstone %u\n", o->tombstone_ms);
	fprintf(to, "%s%s", o->put ? "put\n" : "", o->no_entry ? "no_entry\n" : "");
}

static void write_event(const struct writer *w, const struct spin_event *e)
{
	char what[EVENT_TEXT_MAX];
	char from[INET6_ADDRSTRLEN];

	if (e->type == SPIN_EVENT_RAN)
		return;
	inet_ntop(e->ip_version == 4 ? AF_INET : AF_INET6, e->src_addr, from, sizeof(from));
	event_text(e->type, e->handler, what);
	fprintf(w->to, "event %s id %u from %s %u", what, e->message_id, from, e->src_port);
	if (e->length != SPIN_LENGTH_UNKNOWN)
		fprintf(w->to, " length %u", e->length);
	if (e->me == SPIN_MES_MAX)
		fprintf(w->to, " me none");
	else
		fprintf(w->to, " me %u", e->me);
	fprintf(w->to, " offset %u match %#llx data %#llx dropped %u deposited %u", e->offset, (unsigned long long)e->match_bits,
		(unsigned long long)e->hdr_data, e->dropped_bytes, e->deposited_bytes);
	for (unsigned i = 0; event_flag_name(i); i++)
		if (e->flags & 1u << i)
			fprintf(w->to, " %s", event_flag_name(i));
	fputc('\n', w->to);
}

static void write_state(const struct writer *w)
{
	static const char *const field_names[] = { "runs",          "hash",         "headers", "payloads",    "completions", "bytes",
						   "dropped_bytes", "flow_control", "sums",    "failed_dmas", "zeroed",      "unused" };
	static const char *const run_field_names[] = { "kind", "length", "at", "sum", "sum_so_far" };
	const uint32_t *old_words = (const uint32_t *)&w->state, *new_words = w->r->handlers.state;
	const unsigned runs_at = sizeof(field_names) / sizeof(field_names[0]);

	for (unsigned i = 0; i < sizeof(w->state) / 4; i++) {
		if (old_words[i] == new_words[i])
			continue;
		if (i < runs_at)
			fprintf(w->to, "after spin_state.%s=%u\n", field_names[i], new_words[i]);
		else
			fprintf(w->to, "after spin_state.run[%u].%s=%u\n", (i - runs_at) / 5, run_field_names[(i - runs_at) % 5],
				new_words[i]);
	}
}

static void write_host(const struct writer *w)
{
	size_t bytes = w->r->opts.host_bytes;

	for (size_t at = 0; at < bytes; at++) {
		size_t end = at;

		while (end < bytes && end - at < 512 && w->r->host[end] != w->host[end])
			end++;
		if (end == at)
			continue;
		fprintf(w->to, "after host %zu hex ", at);
		write_hex(w->to, w->r->host + at, end - at);
		at = end - 1;
	}
}

static void write_entries(const struct writer *w)
{
	static const char *const states[] = { "free", "open", "taken" };

	for (unsigned i = 0; i < SPIN_MES_MAX; i++) {
		const struct spin_me *new_words = &w->r->me[i];

		if (memcmp(new_words, &w->me[i], sizeof(*new_words)))
			fprintf(w->to, "after me %u %s messages %llu bytes %llu\n", i, states[new_words->state],
				(unsigned long long)new_words->messages, (unsigned long long)new_words->bytes);
	}
}

static void save_state(struct writer *w)
{
	w->state = *(struct script_state *)w->r->handlers.state;
	memcpy(w->me, w->r->me, sizeof(w->me));
	memcpy(w->host, w->r->host, w->r->opts.host_bytes);
}

static void write_packet(struct writer *w, const struct step *step)
{
	static uint8_t frame[ENGINE_FRAME_MAX];
	static struct engine_out out;
	uint32_t bytes = step_frame(step, frame);

	if (w->engine->ops->packet(w->engine, frame, bytes, &out))
		return;
	fprintf(w->to, "packet\n  raw ");
	write_hex(w->to, frame, bytes);
	fprintf(w->to, "expect %s %s%s\n", spin_verdict_name(out.verdict), spin_reason_name(out.reason),
		out.verdict == SPIN_VERDICT_TX ? " ack" : "");
}

static void write_entry_call(struct writer *w, const struct step *step)
{
	char from[INET6_ADDRSTRLEN];
	unsigned me = step->index;
	int err;

	if (step->kind == STEP_UNLINK) {
		err = w->engine->ops->me_unlink(w->engine, me);
		if (!err || w->r->me[me].state == SPIN_ME_TAKEN)
			fprintf(w->to, "unlink %u%s\n", me, err ? " busy" : "");
		return;
	}
	if (w->engine->ops->me_append(w->engine, &step->me, &me))
		return;
	fprintf(w->to, "post match %#llx ignore %#llx start %u length %u%s%s", (unsigned long long)step->me.match_bits,
		(unsigned long long)step->me.ignore_bits, step->me.start, step->me.length,
		step->me.options & SPIN_ME_USE_ONCE ? " once" : "", step->me.options & SPIN_ME_NO_TRUNCATE ? " whole" : "");
	if (step->me.options & SPIN_ME_OVERFLOW)
		fprintf(w->to, " overflow");
	if (step->me.options & SPIN_ME_MANAGE_LOCAL)
		fprintf(w->to, " local min_free %u", step->me.min_free);
	if (step->me.source.ip_version) {
		inet_ntop(step->me.source.ip_version == 4 ? AF_INET : AF_INET6, step->me.source.addr, from, sizeof(from));
		fprintf(w->to, " from %s %u", from, ntohs(step->me.source.port));
	}
	fputc('\n', w->to);
}

static void write_step(struct writer *w, const struct step *step)
{
	static struct engine_events events;

	if (step->kind != STEP_PACKET && step->kind != STEP_CLOCK) {
		write_entry_call(w, step);
		save_state(w);
		return;
	}
	if (step->kind == STEP_PACKET) {
		write_packet(w, step);
	} else {
		w->engine->ops->clock(w->engine, w->r->now_ms + step->advance_ms, &events);
		fprintf(w->to, "clock %u\n", w->r->now_ms);
	}
	for (unsigned i = 0; i < w->r->events; i++)
		write_event(w, &w->r->event[i]);
	write_state(w);
	write_host(w);
	write_entries(w);
	save_state(w);
}

void schedule_write_vector(const struct schedule *s, FILE *to)
{
	const struct schedule_setup *setup = &schedule_setups[s->setup];
	const struct engine_handler handler = { .name = setup->handler };
	const struct engine_context context = { .message = setup->message };
	struct writer w = { .to = to };

	if (engine_reference_open(&handler, &context, REFERENCE_OBEYS, &w.engine))
		return;
	w.r = engine_reference(w.engine);
	w.host = malloc(w.r->opts.host_bytes);
	if (!w.host)
		reference_die("no memory");
	save_state(&w);
	write_context(setup, to);
	for (unsigned i = 0; i < s->steps; i++)
		write_step(&w, &s->step[i]);
	if (s->steps && s->step[s->steps - 1].kind != STEP_PACKET) /* a vector must end with a step that expects a result */
		write_step(&w, &(struct step){ .kind = STEP_CLOCK });
	free(w.host);
	engine_close(w.engine);
}
