/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A message of five packets in every order of arrival. In each order, every packet is also lost and sent again later, and every packet is
 * duplicated at every position. In all cases each packet must be handled once, the header handler run first and the completion handler
 * last, and the bytes be at the right offsets.
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

struct lab {
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
static uint8_t byte_at(const struct lab *lab, uint32_t at)
{
	if (!lab->copies)
		return at ? 0 : SPIN_HEADER_PROCESS_DATA;
	return (uint8_t)(at * 3 + lab->id * 7 + 1);
}

/* Sets header and payload for the current message. */
static void fill_packet(struct lab *lab, unsigned number)
{
	struct message_packet *packet = &lab->packet[number];

	message_packet_head(packet, SPIN_SLMP_SYN | (number + 1 == PACKETS ? SPIN_SLMP_EOM : 0), lab->id, number * STRIDE);
	for (uint32_t i = 0; i < packet->payload_bytes; i++)
		packet->payload[i] = byte_at(lab, number * STRIDE + i);
}

static int wrong(const struct schedule *s, const struct lab *lab, unsigned step, const char *what)
{
	printf("FAIL  %s, %s:", lab->engine->ops->name, lab->built.name);
	for (unsigned i = 0; i < s->count; i++)
		s->send[i] == LATER ? printf(" later") : printf(" %u", s->send[i]);
	if (step < s->count)
		printf(": number %u:", step + 1);
	printf(" %s\n", what);
	return 1;
}

static int send_one(struct lab *lab, const struct schedule *s, unsigned step, unsigned *came)
{
	static struct engine_out out;
	const struct message_packet *packet = &lab->packet[s->send[step]];
	unsigned bit = 1u << s->send[step], known = *came & bit;
	const struct spin_event *event = &out.events.event[0];
	const char *what;
	int ends;

	if (lab->engine->ops->packet(lab->engine, packet->frame, packet->bytes, &out))
		return wrong(s, lab, step, engine_error());
	*came |= bit;
	ends = !known && *came == (1u << PACKETS) - 1;
	what = message_packet_check(packet, &out, known ? SPIN_REASON_DUPLICATE : *came & 1 ? SPIN_REASON_SUCCESS : SPIN_REASON_PARKED);
	if (what)
		return wrong(s, lab, step, what);
	if (out.events.count != (unsigned)ends)
		return wrong(s, lab, step, "has an event too many or too few");
	if (ends && (event->type != SPIN_EVENT_MESSAGE || event->message_id != lab->id || event->length != MESSAGE_BYTES ||
		     event->dropped_bytes || event->flags))
		return wrong(s, lab, step, "has another event");
	return 0;
}

static int wait_a_little(struct lab *lab, const struct schedule *s, unsigned step)
{
	static struct engine_events events;

	lab->now_ms += LATER_MS;
	if (lab->engine->ops->clock(lab->engine, lab->now_ms, &events))
		return wrong(s, lab, step, engine_error());
	return events.count ? wrong(s, lab, step, "time brings an event") : 0;
}

static int check_end(struct lab *lab, const struct schedule *s)
{
	const struct copied all = { 1, PACKETS, MESSAGE_BYTES, 1, 0, 0 };
	const struct engine_ops *ops = lab->engine->ops;
	uint8_t memory[HOST_BYTES], want[HOST_BYTES] = { 0 };
	struct copied copied;
	struct traced traced;

	for (uint32_t i = 0; lab->copies && i < MESSAGE_BYTES; i++)
		want[i] = byte_at(lab, i);
	if (ops->host_read(lab->engine, 0, memory, sizeof(memory)))
		return wrong(s, lab, s->count, engine_error());
	if (memcmp(memory, want, sizeof(memory)))
		return wrong(s, lab, s->count, "host memory is not as it should be");
	if (lab->copies) {
		if (ops->read(lab->engine, "spin_state", 0, &copied, sizeof(copied)))
			return wrong(s, lab, s->count, engine_error());
		return memcmp(&copied, &all, sizeof(all)) ? wrong(s, lab, s->count, "the state is another") : 0;
	}
	if (ops->read(lab->engine, "spin_state", 0, &traced, sizeof(traced)))
		return wrong(s, lab, s->count, engine_error());
	return traced.order != 0x1222223 ? wrong(s, lab, s->count, "handlers ran in another order") : 0;
}

static int run_schedule(struct lab *lab, const struct schedule *s)
{
	static const struct copied zero;
	unsigned came = 0;
	int failed = 0;

	schedules++;
	lab->id++;
	for (unsigned i = 0; i < PACKETS; i++)
		fill_packet(lab, i);
	if (lab->engine->ops->write(lab->engine, "spin_state", 0, &zero, lab->copies ? sizeof(zero) : sizeof(struct traced)))
		return wrong(s, lab, s->count, engine_error());
	for (unsigned i = 0; i < s->count && !failed; i++)
		failed = s->send[i] == LATER ? wait_a_little(lab, s, i) : send_one(lab, s, i, &came);
	return failed ? failed : check_end(lab, s);
}

/* Sends packet `lost` not at its position, but at the end, a little later. */
static int lose(struct lab *lab, const unsigned *order, unsigned lost)
{
	struct schedule s = { 0 };

	for (unsigned i = 0; i < PACKETS; i++)
		if (order[i] != lost)
			s.send[s.count++] = order[i];
	s.send[s.count++] = LATER;
	s.send[s.count++] = lost;
	return run_schedule(lab, &s);
}

/* Sends the packet at `place` again after position `behind`; PACKETS: at the end, a little later. */
static int repeat(struct lab *lab, const unsigned *order, unsigned place, unsigned behind)
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
	return run_schedule(lab, &s);
}

/* Sends each packet twice in a row, or all packets and then all again. */
static int double_all(struct lab *lab, const unsigned *order, int at_once)
{
	struct schedule s = { .count = 2 * PACKETS };

	for (unsigned i = 0; i < 2 * PACKETS; i++)
		s.send[i] = order[at_once ? i / 2 : i % PACKETS];
	return run_schedule(lab, &s);
}

static int run_order(struct lab *lab, const unsigned *order)
{
	struct schedule s = { .count = PACKETS };
	int failed;

	memcpy(s.send, order, PACKETS * sizeof(*order));
	failed = run_schedule(lab, &s) || double_all(lab, order, 1) || double_all(lab, order, 0);
	for (unsigned i = 0; i < PACKETS && !failed; i++) {
		failed = lose(lab, order, i);
		for (unsigned behind = i; behind <= PACKETS && !failed; behind++)
			failed = repeat(lab, order, i, behind);
	}
	return failed;
}

/* Runs all orders that begin with the first `fixed` elements of `order`. */
static int permute(struct lab *lab, unsigned *order, unsigned fixed)
{
	int failed = 0;

	if (fixed == PACKETS)
		return run_order(lab, order);
	for (unsigned i = fixed; i < PACKETS && !failed; i++) {
		unsigned was = order[fixed];

		order[fixed] = order[i];
		order[i] = was;
		failed = permute(lab, order, fixed + 1);
		order[i] = order[fixed];
		order[fixed] = was;
	}
	return failed;
}

static int run_handler(enum engine_kind kind, const char *handler, int copies)
{
	struct engine_context context = { .rule = { .protocol = 17 }, .message = { .host_bytes = HOST_BYTES } };
	unsigned order[PACKETS] = { 0, 1, 2, 3, 4 };
	struct lab lab = { .copies = copies };
	int rc = built_handler(handler, &lab.built);

	if (!rc)
		rc = engine_open(kind, &lab.built.handler, &context, &lab.engine);
	for (unsigned i = 0; i < PACKETS && !rc; i++)
		rc = message_packet_make(&lab.packet[i], bytes_of(i));
	if (!rc)
		rc = permute(&lab, order, 0);
	engine_close(lab.engine);
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
