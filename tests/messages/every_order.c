/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests a message of five packets in every order of arrival, on each engine (host build, kernel, model of the card). In each order, every
 * packet is also lost and sent again later, and every packet is duplicated at every position. In all cases each packet must be handled
 * once, the header handler run first and the completion handler last, and the bytes be at the right offsets. Run by tests/run.
 *
 *	every_order [--engine host|bpf|isolated|model]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/each_engine.h"
#include "tests/common/net/message_packet.h"
#include <spin/return.h>
#include <spin/slmp.h>

#define PACKETS       5u
#define STRIDE        8u
#define LAST_BYTES    5u
#define MESSAGE_BYTES (STRIDE * (PACKETS - 1) + LAST_BYTES)
#define HOST_BYTES    256u
#define SENDS_MAX     (3 * PACKETS)
#define LATER_MS      3u

/* What to send: packets by number; LATER advances the clock. */
enum { LATER = PACKETS };

struct schedule {
	unsigned count;
	unsigned send[SENDS_MAX];
};

/* The state of msg_copy, and the part of msg_returns' state that is checked. */
struct copied {
	uint32_t headers, packets, bytes, completions, dropped_bytes, flow_control;
};
struct traced {
	uint32_t order;
};

struct fixture {
	struct built built;
	struct engine *engine;
	int copies;          /* the handler is msg_copy, else msg_returns */
	uint32_t id, now_ms; /* ids are never reused */
	struct message_packet packet[PACKETS];
};

static unsigned long long schedules;

static uint32_t bytes_of(unsigned packet)
{
	return packet + 1 == PACKETS ? LAST_BYTES : STRIDE;
}

/* The byte at an offset of the message. With msg_returns the payload handlers find code 0 in each packet. */
static uint8_t byte_at(const struct fixture *fixture, uint32_t at)
{
	if (!fixture->copies)
		return at ? 0 : SPIN_HEADER_PROCESS_DATA;
	return (uint8_t)(at * 3 + fixture->id * 7 + 1);
}

/* Sets header and payload for the current message. */
static void fill_packet(struct fixture *fixture, unsigned number)
{
	struct message_packet *packet = &fixture->packet[number];

	message_packet_head(packet, SPIN_SLMP_SYN | (number + 1 == PACKETS ? SPIN_SLMP_EOM : 0), fixture->id, number * STRIDE);
	for (uint32_t i = 0; i < packet->payload_bytes; i++)
		packet->payload[i] = byte_at(fixture, number * STRIDE + i);
}

static int wrong(const struct schedule *s, const struct fixture *fixture, unsigned step, const char *what)
{
	printf("FAIL  %s, %s:", fixture->engine->ops->name, fixture->built.name);
	for (unsigned i = 0; i < s->count; i++)
		s->send[i] == LATER ? printf(" later") : printf(" %u", s->send[i]);
	if (step < s->count)
		printf(": number %u:", step + 1);
	printf(" %s\n", what);
	return 1;
}

static int send_one(struct fixture *fixture, const struct schedule *s, unsigned step, unsigned *received)
{
	static struct engine_out out;
	const struct message_packet *packet = &fixture->packet[s->send[step]];
	unsigned bit = 1u << s->send[step], known = *received & bit;
	const struct spin_event *event = &out.events.event[0];
	const char *what;
	int ends;

	if (fixture->engine->ops->packet(fixture->engine, packet->frame, packet->bytes, &out))
		return wrong(s, fixture, step, engine_error());
	*received |= bit;
	ends = !known && *received == (1u << PACKETS) - 1;
	what = message_packet_check(packet, &out, known ? SPIN_REASON_DUPLICATE : *received & 1 ? SPIN_REASON_SUCCESS : SPIN_REASON_PARKED);
	if (what)
		return wrong(s, fixture, step, what);
	if (out.events.count != (unsigned)ends)
		return wrong(s, fixture, step, "has an event too many or too few");
	if (ends && (event->type != SPIN_EVENT_MESSAGE || event->message_id != fixture->id || event->length != MESSAGE_BYTES ||
		     event->dropped_bytes || event->flags))
		return wrong(s, fixture, step, "has another event");
	return 0;
}

static int wait_a_little(struct fixture *fixture, const struct schedule *s, unsigned step)
{
	static struct engine_events events;

	fixture->now_ms += LATER_MS;
	if (fixture->engine->ops->clock(fixture->engine, fixture->now_ms, &events))
		return wrong(s, fixture, step, engine_error());
	return events.count ? wrong(s, fixture, step, "time brings an event") : 0;
}

static int check_end(struct fixture *fixture, const struct schedule *s)
{
	const struct copied all = { 1, PACKETS, MESSAGE_BYTES, 1, 0, 0 };
	const struct engine_ops *ops = fixture->engine->ops;
	uint8_t memory[HOST_BYTES], want[HOST_BYTES] = { 0 };
	struct copied copied;
	struct traced traced;

	for (uint32_t i = 0; fixture->copies && i < MESSAGE_BYTES; i++)
		want[i] = byte_at(fixture, i);
	if (ops->host_read(fixture->engine, 0, memory, sizeof(memory)))
		return wrong(s, fixture, s->count, engine_error());
	if (memcmp(memory, want, sizeof(memory)))
		return wrong(s, fixture, s->count, "host memory is not as it should be");
	if (fixture->copies) {
		if (ops->read(fixture->engine, "spin_state", 0, &copied, sizeof(copied)))
			return wrong(s, fixture, s->count, engine_error());
		return memcmp(&copied, &all, sizeof(all)) ? wrong(s, fixture, s->count, "the state is another") : 0;
	}
	if (ops->read(fixture->engine, "spin_state", 0, &traced, sizeof(traced)))
		return wrong(s, fixture, s->count, engine_error());
	return traced.order != 0x1222223 ? wrong(s, fixture, s->count, "handlers ran in another order") : 0;
}

static int run_schedule(struct fixture *fixture, const struct schedule *s)
{
	static const struct copied zero;
	unsigned received = 0;
	int failed = 0;

	schedules++;
	fixture->id++;
	for (unsigned i = 0; i < PACKETS; i++)
		fill_packet(fixture, i);
	if (fixture->engine->ops->write(fixture->engine, "spin_state", 0, &zero, fixture->copies ? sizeof(zero) : sizeof(struct traced)))
		return wrong(s, fixture, s->count, engine_error());
	for (unsigned i = 0; i < s->count && !failed; i++)
		failed = s->send[i] == LATER ? wait_a_little(fixture, s, i) : send_one(fixture, s, i, &received);
	return failed ? failed : check_end(fixture, s);
}

/* Sends packet `lost` not at its position, but at the end, a little later. */
static int lose(struct fixture *fixture, const unsigned *order, unsigned lost)
{
	struct schedule s = { 0 };

	for (unsigned i = 0; i < PACKETS; i++)
		if (order[i] != lost)
			s.send[s.count++] = order[i];
	s.send[s.count++] = LATER;
	s.send[s.count++] = lost;
	return run_schedule(fixture, &s);
}

/* Sends the packet at `place` again after position `behind`; PACKETS: at the end, a little later. */
static int repeat(struct fixture *fixture, const unsigned *order, unsigned place, unsigned behind)
{
	struct schedule s = { 0 };

	for (unsigned i = 0; i < PACKETS; i++) {
		s.send[s.count++] = order[i];
		if (i == behind)
			s.send[s.count++] = order[place];
	}
	if (behind == PACKETS) {
		s.send[s.count++] = LATER;
		s.send[s.count++] = order[place];
	}
	return run_schedule(fixture, &s);
}

/* Sends each packet twice in a row, or all packets and then all again. */
static int double_all(struct fixture *fixture, const unsigned *order, int at_once)
{
	struct schedule s = { .count = 2 * PACKETS };

	for (unsigned i = 0; i < 2 * PACKETS; i++)
		s.send[i] = order[at_once ? i / 2 : i % PACKETS];
	return run_schedule(fixture, &s);
}

static int run_order(struct fixture *fixture, const unsigned *order)
{
	struct schedule s = { .count = PACKETS };
	int failed;

	memcpy(s.send, order, PACKETS * sizeof(*order));
	failed = run_schedule(fixture, &s) || double_all(fixture, order, 1) || double_all(fixture, order, 0);
	for (unsigned i = 0; i < PACKETS && !failed; i++) {
		failed = lose(fixture, order, i);
		for (unsigned behind = i; behind <= PACKETS && !failed; behind++)
			failed = repeat(fixture, order, i, behind);
	}
	return failed;
}

/* Runs all orders that begin with the first `fixed` elements of `order`. */
static int permute(struct fixture *fixture, unsigned *order, unsigned fixed)
{
	int failed = 0;

	if (fixed == PACKETS)
		return run_order(fixture, order);
	for (unsigned i = fixed; i < PACKETS && !failed; i++) {
		unsigned was = order[fixed];

		order[fixed] = order[i];
		order[i] = was;
		failed = permute(fixture, order, fixed + 1);
		order[i] = order[fixed];
		order[fixed] = was;
	}
	return failed;
}

static int run_handler(enum engine_kind kind, const char *handler, int copies)
{
	struct engine_context context = { .rule = { .protocol = 17 }, .message = { .host_bytes = HOST_BYTES } };
	unsigned order[PACKETS] = { 0, 1, 2, 3, 4 };
	struct fixture fixture = { .copies = copies };
	int rc = built_handler(handler, &fixture.built);

	if (!rc)
		rc = engine_open(kind, &fixture.built.handler, &context, &fixture.engine);
	for (unsigned i = 0; i < PACKETS && !rc; i++)
		rc = message_packet_make(&fixture.packet[i], bytes_of(i));
	if (!rc)
		rc = permute(&fixture, order, 0);
	engine_close(fixture.engine);
	return rc;
}

static int run_engine(enum engine_kind kind)
{
	int rc = run_handler(kind, "msg_copy", 1);

	return rc ? rc : run_handler(kind, "msg_returns", 0);
}

int main(int argc, char **argv)
{
	int status = each_engine(argc, argv, run_engine);

	printf("%llu schedules\n", schedules);
	return status;
}
