/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Builds and prints schedules: random sequences of packets, clock steps and calls for a context (attached handlers) that takes messages
 * (schedule.h). Called by generate.c, shrink.c and the tests in tests/messages. A schedule names its context by its index in
 * schedule_setups.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/reference.h"
#include "tests/reference/schedule.h"

/* clang-format off */
/* Name, handler, options of the context: small numbers and times, so that limits are reached often. */
const struct schedule_setup schedule_setups[] = {
	{ "plain", "msg_script", { .host_bytes = 8192, .virtual_clock = 1 } },
	{ "few", "msg_script", { .host_bytes = 4096, .messages = 2, .parking = 3, .idle_ms = 100, .age_ms = 150, .tombstone_ms = 60,
				 .put = 1, .virtual_clock = 1 } },
	{ "entries", "msg_script", { .host_bytes = 4096, .messages = 4, .parking = 8, .idle_ms = 100, .age_ms = 150, .tombstone_ms = 250,
				     .put = 1, .no_entry = 1, .virtual_clock = 1 } },
	{ "user_header", "msg_script_user", { .host_bytes = 4096, .messages = 4, .parking = 16, .idle_ms = 500,
					      .tombstone_ms = 100, .put = 1, .virtual_clock = 1 } },
	{ "payload", "msg_script_pay", { .host_bytes = 4096, .messages = 3, .idle_ms = 50, .tombstone_ms = 50,
				      .virtual_clock = 1 } },
	{ "header", "msg_script_head", { .host_bytes = 4096, .messages = 4, .parking = 8, .idle_ms = 300, .tombstone_ms = 100,
				    .put = 1, .virtual_clock = 1 } },
	{ "runs", "msg_script", { .host_bytes = 4096, .messages = 8, .parking = 40, .idle_ms = 100, .tombstone_ms = 100,
				  .put = 1, .virtual_clock = 1, .report_runs = 1 } },
};
/* clang-format on */
const unsigned schedule_setups_count = sizeof(schedule_setups) / sizeof(schedule_setups[0]);

static void ensure_capacity(struct schedule *s, unsigned steps)
{
	if (steps <= s->room)
		return;
	s->room = 2 * steps;
	s->step = realloc(s->step, s->room * sizeof(*s->step));
	if (!s->step)
		reference_die("no memory");
}

void schedule_insert(struct schedule *s, unsigned at, const struct step *step)
{
	struct step copy = *step;

	ensure_capacity(s, s->steps + 1);
	memmove(s->step + at + 1, s->step + at, (s->steps - at) * sizeof(*s->step));
	s->step[at] = copy;
	s->steps++;
}

void schedule_add(struct schedule *s, const struct step *step)
{
	schedule_insert(s, s->steps, step);
}

void schedule_remove(struct schedule *s, unsigned from, unsigned count)
{
	memmove(s->step + from, s->step + from + count, (s->steps - from - count) * sizeof(*s->step));
	s->steps -= count;
}

void schedule_copy(struct schedule *to, const struct schedule *from)
{
	ensure_capacity(to, from->steps ? from->steps : 1);
	to->setup = from->setup;
	to->steps = from->steps;
	if (from->steps)
		memcpy(to->step, from->step, from->steps * sizeof(*to->step));
}

void schedule_free(struct schedule *s)
{
	free(s->step);
	memset(s, 0, sizeof(*s));
}

/* Each source differs in one part of the key: address, port, IP version, or the IPv6 address's last or first word. */
static void step_flow(const struct step *step, struct frame_flow *flow)
{
	memset(flow, 0, sizeof(*flow));
	flow->ip_version = step->source < 3 ? 4 : 6;
	flow->src_port = step->source == 1 ? 4001 : 4000;
	flow->dst_port = SCHEDULE_PORT;
	if (flow->ip_version == 4) {
		memcpy(flow->src, (const uint8_t[4]){ 10, 0, 0, step->source == 2 ? 3 : 2 }, 4);
		memcpy(flow->dst, (const uint8_t[4]){ 10, 0, 0, 1 }, 4);
		return;
	}
	flow->src[0] = step->source == 5 ? 0xfc : 0xfd;
	flow->src[15] = step->source == 4 ? 3 : 2;
	flow->dst[0] = 0xfd;
	flow->dst[15] = 1;
}

void step_source(uint32_t source, int port, struct spin_process *out)
{
	const struct step step = { .source = source };
	struct frame_flow flow;

	step_flow(&step, &flow);
	*out = (struct spin_process){ .ip_version = (uint16_t)flow.ip_version, .port = port ? htons(flow.src_port) : 0 };
	memcpy(out->addr, flow.src, sizeof(out->addr));
}

static uint8_t *put_be(uint8_t *at, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(v >> 8 * (bytes - 1 - i));
	return at + bytes;
}

uint32_t step_frame(const struct step *step, uint8_t *frame)
{
	struct frame_flow flow;
	uint8_t *start, *at, *payload;
	uint32_t bytes;

	step_flow(step, &flow);
	start = at = frame_payload(frame, flow.ip_version);
	at = put_be(at, step->flags, 2);
	at = put_be(at, step->message_id, 4);
	at = put_be(at, step->offset, 4);
	if (step->flags & SPIN_SLMP_PUT) {
		at = put_be(at, step->put.op, 1);
		at = put_be(at, step->put.version, 1);
		at = put_be(at, step->put.unused, 2);
		at = put_be(at, step->put.length, 4);
		at = put_be(at, step->put.match_bits, 8);
		at = put_be(at, step->put.hdr_data, 8);
		at = put_be(at, step->put.offset, 8);
	}
	payload = at;
	for (uint32_t i = 0; i < step->bytes; i++)
		payload[i] = (uint8_t)(1 + (step->message_id * 7 + (step->offset + i) * 31) % 255);
	memcpy(payload, &step->ask, step->bytes < sizeof(step->ask) ? step->bytes : sizeof(step->ask));
	if (step->offset == 0 && step->bytes >= SCRIPT_USER_HEADER + sizeof(step->second))
		memcpy(payload + SCRIPT_USER_HEADER, &step->second, sizeof(step->second));
	bytes = (uint32_t)(payload + step->bytes - start);
	bytes -= step->cut < bytes ? step->cut : bytes;
	return frame_finish(frame, &flow, bytes, step->sum);
}

static void print_packet(const struct step *s, FILE *to)
{
	fprintf(to, "packet  source %u message %u offset %u bytes %u%s%s%s%s", s->source, s->message_id, s->offset, s->bytes,
		s->flags & SPIN_SLMP_SYN ? " syn" : "", s->flags & SPIN_SLMP_EOM ? " eom" : "", s->flags & SPIN_SLMP_ACK ? " ack" : "",
		s->flags & 0x0fff ? " other-flags" : "");
	if (s->ask.payload_rc || s->ask.header_rc || s->ask.completion_rc || s->ask.what)
		fprintf(to, " rc payload %u header %u completion %u what %u", s->ask.payload_rc, s->ask.header_rc, s->ask.completion_rc,
			s->ask.what);
	if (s->offset == 0 && s->bytes >= SCRIPT_USER_HEADER + sizeof(s->second) && s->second.payload_rc)
		fprintf(to, " second-rc %u", s->second.payload_rc);
	if (s->flags & SPIN_SLMP_PUT)
		fprintf(to, " put op %u version %u unused %u length %u match %#llx hdr %#llx offset %llu", s->put.op, s->put.version,
			s->put.unused, s->put.length, (unsigned long long)s->put.match_bits, (unsigned long long)s->put.hdr_data,
			(unsigned long long)s->put.offset);
	if (s->cut)
		fprintf(to, " cut %u", s->cut);
	if (s->sum)
		fprintf(to, s->sum == FRAME_SUM_NONE ? " sum none" : " sum partial");
	fputc('\n', to);
}

static void print_post(const struct spin_me_opts *me, FILE *to)
{
	char text[INET6_ADDRSTRLEN];

	fprintf(to, "post    match %#llx ignore %#llx start %u length %u%s%s", (unsigned long long)me->match_bits,
		(unsigned long long)me->ignore_bits, me->start, me->length, me->options & SPIN_ME_USE_ONCE ? " once" : "",
		me->options & SPIN_ME_NO_TRUNCATE ? " whole" : "");
	if (me->options & SPIN_ME_OVERFLOW)
		fprintf(to, " overflow");
	if (me->options & SPIN_ME_MANAGE_LOCAL)
		fprintf(to, " local min_free %u", me->min_free);
	if (me->source.ip_version)
		fprintf(to, " from %s %u", inet_ntop(me->source.ip_version == 4 ? AF_INET : AF_INET6, me->source.addr, text, sizeof(text)),
			ntohs(me->source.port));
	fputc('\n', to);
}

void schedule_print(const struct schedule *s, FILE *to)
{
	const struct schedule_setup *setup = &schedule_setups[s->setup];

	fprintf(to, "# handler %s; host memory %zu messages %u parking %u idle_ms %u tombstone_ms %u%s%s%s\n", setup->handler,
		setup->message.host_bytes, setup->message.messages, setup->message.parking, setup->message.idle_ms,
		setup->message.tombstone_ms, setup->message.put ? " put" : "", setup->message.no_entry ? " no_entry" : "",
		setup->message.report_runs ? " report_runs" : "");
	for (unsigned i = 0; i < s->steps; i++) {
		const struct step *step = &s->step[i];

		fprintf(to, "%3u  ", i + 1);
		if (step->kind == STEP_PACKET)
			print_packet(step, to);
		else if (step->kind == STEP_CLOCK)
			fprintf(to, "clock   +%u ms\n", step->advance_ms);
		else if (step->kind == STEP_UNLINK)
			fprintf(to, "unlink  entry %u\n", step->index);
		else
			print_post(&step->me, to);
	}
}
