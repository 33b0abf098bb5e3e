/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares an engine (an execution of handlers) that many threads use with the reference, a plain-C model of the message protocol: each
 * handler run that the engine reports is checked and repeated on the reference. Called by tests/messages/many_cpus_one_message.c and
 * tests/live/many_queues_one_message.c.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/random.h"

#include "tests/reference/engine_reference.h"
#include "tests/reference/traffic.h"

static void report_failure(struct traffic *t, const char *format, ...)
{
	va_list args;

	if (t->failed++ > 10)
		return;
	printf("FAIL  ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

struct spin_message_opts traffic_opts(unsigned messages, unsigned parking)
{
	/* on a busy machine a copy of a packet may be seconds behind the end of its message */
	return (struct spin_message_opts){ .host_bytes = TRAFFIC_HOST_BYTES,
					   .messages = messages,
					   .parking = parking,
					   .idle_ms = 60000,
					   .tombstone_ms = 60000,
					   .put = 1,
					   .report_runs = 1 };
}

void traffic_start(struct traffic *t, unsigned messages, uint64_t seed, const struct spin_message_opts *opts)
{
	const struct engine_handler handler = { .name = "msg_script" };
	struct engine_context context = { .message = *opts };
	uint64_t random = seed;

	context.message.messages = SPIN_MPQS_MAX;
	context.message.report_runs = 0;
	memset(t, 0, sizeof(*t));
	t->messages = messages;
	t->message = calloc(messages, sizeof(*t->message));
	if (!t->message || engine_reference_open(&handler, &context, REFERENCE_OBEYS, &t->reference))
		reference_die("no memory");
	for (unsigned i = 0; i < messages; i++) {
		struct traffic_message *m = &t->message[i];

		m->packets = (uint8_t)(!random_below(&random, 4) ? 1 : 1 + random_below(&random, TRAFFIC_PACKETS_MAX));
		m->stride = (uint8_t)(4 + random_below(&random, TRAFFIC_STRIDE_MAX - 3));
		m->last = (uint8_t)(1 + random_below(&random, m->stride));
		t->packets += m->packets;
	}
}

void traffic_stop(struct traffic *t)
{
	engine_close(t->reference);
	free(t->message);
}

struct step traffic_step(const struct traffic *t, unsigned message, unsigned packet)
{
	const struct traffic_message *m = &t->message[message];
	int last = packet + 1u == m->packets;
	struct step s = { .kind = STEP_PACKET, .message_id = message, .offset = packet * m->stride, .bytes = last ? m->last : m->stride };

	s.flags = (uint16_t)(SPIN_SLMP_SYN | (last ? SPIN_SLMP_EOM : 0));
	s.ask = (struct script_ask){ (message + packet) % 11 ? SPIN_RC_SUCCESS : SPIN_RC_DROP, SPIN_RC_PROCESS_DATA, 0,
				     message % 2 ? SCRIPT_DMA_BEHIND : 0 };
	if (packet == 0) {
		s.flags |= SPIN_SLMP_PUT;
		s.put = (struct step_put){ .op = SPIN_SLMP_OP_PUT,
					   .version = SPIN_SLMP_VERSION,
					   .length = SPIN_LENGTH_UNKNOWN,
					   .offset = message % TRAFFIC_SLOTS * TRAFFIC_SLOT };
	}
	return s;
}

/* Runs the same packet on the reference, which must handle it as the engine did. */
static void run_reference(struct traffic *t, unsigned message, unsigned packet)
{
	static struct engine_out out;
	static uint8_t frame[ENGINE_FRAME_MAX];
	const struct step step = traffic_step(t, message, packet);
	uint32_t bytes = step_frame(&step, frame);
	enum spin_reason expected = step.bytes >= 4 && step.ask.payload_rc ? SPIN_REASON_DROPPED : SPIN_REASON_SUCCESS;

	engine_reference(t->reference)->tombstones = 0; /* a handler ran, so the packet was new: tombstones are not needed */
	if (t->reference->ops->packet(t->reference, frame, bytes, &out) || out.reason != expected)
		report_failure(t, "message %u, packet %u: a handler ran, but the reference says %s", message, packet,
			       spin_reason_name(out.reason));
}

static void payload_ran(struct traffic *t, struct traffic_message *m, unsigned id, uint32_t offset)
{
	unsigned packet = offset / m->stride;

	if (offset % m->stride || packet >= m->packets) {
		report_failure(t, "message %u: the payload handler ran at %u, where no packet is", id, offset);
		return;
	}
	if (!m->headers)
		report_failure(t, "message %u, packet %u: the payload handler ran before the header handler", id, packet);
	if (m->completions)
		report_failure(t, "message %u, packet %u: the payload handler ran after the completion handler", id, packet);
	if (m->ran >> packet & 1) {
		report_failure(t, "message %u, packet %u: the payload handler ran twice", id, packet);
		return;
	}
	m->ran |= 1ull << packet;
	if (packet)
		run_reference(t, id, packet);
}

static void header_ran(struct traffic *t, struct traffic_message *m, unsigned id)
{
	/* The reference also runs the first packet's payload handler. On the engine other runs may come in between. */
	if (m->headers++)
		report_failure(t, "message %u: the header handler ran twice", id);
	else
		run_reference(t, id, 0);
}

static void completion_ran(struct traffic *t, struct traffic_message *m, unsigned id)
{
	if (m->completions++)
		report_failure(t, "message %u: the completion handler ran twice", id);
	if (m->ran != (1ull << m->packets) - 1)
		report_failure(t, "message %u: the completion handler ran before all payload handlers: %#llx of %u", id,
			       (unsigned long long)m->ran, m->packets);
}

void traffic_event(struct traffic *t, const struct spin_event *event)
{
	struct traffic_message *m;

	if (event->message_id >= t->messages) {
		report_failure(t, "an event of message %u, which was not sent", event->message_id);
		return;
	}
	m = &t->message[event->message_id];
	if (event->type == SPIN_EVENT_MESSAGE) {
		if (!m->completions)
			report_failure(t, "message %u: it is reported complete before its completion handler ran", event->message_id);
		if (event->length != (m->packets - 1u) * m->stride + m->last)
			report_failure(t, "message %u: its length is reported as %u", event->message_id, event->length);
		m->reported++;
		return;
	}
	if (event->type != SPIN_EVENT_RAN) {
		report_failure(t, "message %u: an event of type %u", event->message_id, event->type);
		return;
	}
	t->runs++;
	if (event->handler == SPIN_KIND_HEADER)
		header_ran(t, m, event->message_id);
	else if (event->handler == SPIN_KIND_PAYLOAD)
		payload_ran(t, m, event->message_id, event->offset);
	else
		completion_ran(t, m, event->message_id);
}

int traffic_complete(struct traffic *t)
{
	for (unsigned i = 0; i < t->messages; i++) {
		const struct traffic_message *m = &t->message[i];

		if (m->headers != 1 || m->completions != 1 || m->reported != 1 || m->ran != (1ull << m->packets) - 1)
			report_failure(t,
				       "message %u of %u packets: header handler %u times, payload handlers %#llx, "
				       "completion handler %u, told %u times",
				       i, m->packets, m->headers, (unsigned long long)m->ran, m->completions, m->reported);
	}
	return !t->failed;
}

int traffic_compare(struct traffic *t, const struct script_state *state, const uint8_t *host, int flow_control)
{
	const struct reference *r = engine_reference(t->reference);
	const struct script_state *expected = r->handlers.state;
	const struct {
		const char *name;
		uint32_t have, expected;
		int exact;
	} fields[] = {
		{ "headers", state->headers, expected->headers, 1 },
		{ "payloads", state->payloads, expected->payloads, 1 },
		{ "completions", state->completions, expected->completions, 1 },
		{ "bytes", state->bytes, expected->bytes, 1 },
		{ "sums", state->sums, expected->sums, 1 },
		{ "failed_dmas", state->failed_dmas, expected->failed_dmas, 1 },
		{ "zeroed", state->zeroed, expected->zeroed, 1 },
		{ "dropped_bytes", state->dropped_bytes, expected->dropped_bytes, !flow_control },
		{ "flow_control", state->flow_control, expected->flow_control, !flow_control },
	};

	for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].exact ? fields[i].have != fields[i].expected : fields[i].have < fields[i].expected)
			report_failure(t, "%s are %u, the reference has %u", fields[i].name, fields[i].have, fields[i].expected);
	for (size_t at = 0; at < TRAFFIC_HOST_BYTES; at++) {
		if (host[at] == r->host[at])
			continue;
		report_failure(t, "byte %zu of host memory (byte %zu of slot %zu) is %02x, the reference has %02x", at, at % TRAFFIC_SLOT,
			       at / TRAFFIC_SLOT, host[at], r->host[at]);
		break;
	}
	return !t->failed;
}
