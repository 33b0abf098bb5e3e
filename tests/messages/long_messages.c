/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests messages of more packets than the window (the packets beyond the lowest missing one that are accepted) holds. Each packet is sent
 * twice, in blocks of the window's length and in several orders within a block: the first copy must be handled, the second be a duplicate.
 * At the start of each block one packet is beyond the window, and must be dropped. All messages use one MPQ (the state of a message in
 * flight) in turn, with short ones in between: no state of one may remain for the next. Runs with the window that is in the MPQ itself, and
 * with a wide one, which nearly fills its words. Run by tests/run.
 *
 *	long_messages [--engine host|bpf|isolated|model]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/each_engine.h"
#include "tests/common/net/message_packet.h"
#include <spin/slmp.h>

#define MESSAGES      129u
#define WIDE_WINDOW   (4096u - 2 * 32)
#define BLOCK_MAX     (WIDE_WINDOW + 1)
#define SHORT_PACKETS 3u
#define HOST_BYTES    16384u

struct ends {
	uint32_t messages, dropped_bytes, flow_control;
}; /* state of msg_default */

struct fixture {
	struct engine *engine;
	struct message_packet packet; /* with one byte of payload */
	struct engine_out out;
	uint32_t block; /* packets from the lowest missing one to the end of the window */
	uint32_t id, packets, received, beyond;
	uint64_t random;
};

static unsigned long long sent;

static int wrong(const struct fixture *fixture, uint32_t packet, const char *what)
{
	printf("FAIL  %s: packet %u of message %u %s\n", fixture->engine->ops->name, packet, fixture->id, what);
	return 1;
}

static uint8_t byte_of(const struct fixture *fixture, uint32_t packet)
{
	return (uint8_t)(packet * 5 + (packet >> 8) * 3 + fixture->id * 11 + 1);
}

static int check_message(struct fixture *fixture, uint32_t packet)
{
	const struct spin_event *e = &fixture->out.events.event[0];
	uint32_t flags = fixture->beyond ? SPIN_EVENT_FLOW_CONTROL : 0;
	int ends = fixture->received == fixture->packets;

	if (fixture->out.events.count != (unsigned)ends)
		return wrong(fixture, packet, "has an event too many or too few");
	if (ends && (e->type != SPIN_EVENT_MESSAGE || e->length != fixture->packets || e->message_id != fixture->id ||
		     e->deposited_bytes != fixture->packets || e->dropped_bytes != fixture->beyond || e->flags != flags))
		return wrong(fixture, packet, "has another event");
	return 0;
}

static int send_packet(struct fixture *fixture, uint32_t packet, enum spin_reason want)
{
	const char *what;

	sent++;
	message_packet_head(&fixture->packet, SPIN_SLMP_SYN | (packet + 1 == fixture->packets ? SPIN_SLMP_EOM : 0), fixture->id, packet);
	fixture->packet.payload[0] = byte_of(fixture, packet);
	if (fixture->engine->ops->packet(fixture->engine, fixture->packet.frame, fixture->packet.bytes, &fixture->out))
		return wrong(fixture, packet, engine_error());
	what = message_packet_check(&fixture->packet, &fixture->out, want);
	return what ? wrong(fixture, packet, what) : 0;
}

static int send_twice(struct fixture *fixture, uint32_t packet)
{
	int failed = send_packet(fixture, packet, SPIN_REASON_PROCEEDED);

	fixture->received++;
	failed = failed || check_message(fixture, packet);
	failed = failed || send_packet(fixture, packet, SPIN_REASON_DUPLICATE);
	return failed ? 1 : fixture->out.events.count ? wrong(fixture, packet, "has an event when it comes again") : 0;
}

static uint32_t random_below(struct fixture *fixture, uint32_t end)
{
	fixture->random = fixture->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((fixture->random >> 33) % end);
}

/* Sends the packets from `lowest` on, which is missing: forwards, backwards, or in random order. */
static int send_block(struct fixture *fixture, uint32_t lowest, uint32_t count)
{
	static uint32_t order[BLOCK_MAX];
	int failed = 0;

	for (uint32_t i = 0; i < count; i++)
		order[i] = lowest + (fixture->id % 3 == 1 ? count - 1 - i : i);
	for (uint32_t i = count; fixture->id % 3 == 2 && i > 1; i--) {
		uint32_t other = random_below(fixture, i), was = order[i - 1];

		order[i - 1] = order[other];
		order[other] = was;
	}
	if (lowest + fixture->block < fixture->packets) {
		failed = send_packet(fixture, lowest + fixture->block, SPIN_REASON_BEYOND_WINDOW);
		fixture->beyond++;
	}
	for (uint32_t i = 0; i < count && !failed; i++)
		failed = send_twice(fixture, order[i]);
	return failed;
}

/* Checks host memory up to the message's length; what is after it may belong to another message. */
static int check_memory(struct fixture *fixture)
{
	uint8_t memory[HOST_BYTES];

	if (fixture->engine->ops->host_read(fixture->engine, 0, memory, sizeof(memory)))
		return wrong(fixture, 0, engine_error());
	for (uint32_t i = 0; i < fixture->packets; i++)
		if (memory[i] != byte_of(fixture, i))
			return wrong(fixture, i, "is not in host memory");
	return 0;
}

static int send_message(struct fixture *fixture, uint32_t packets)
{
	int failed;

	fixture->id++;
	fixture->packets = packets;
	fixture->received = fixture->beyond = 0;
	failed = send_twice(fixture, 0);
	for (uint32_t lowest = 1; lowest < packets && !failed; lowest += fixture->block)
		failed = send_block(fixture, lowest, packets - lowest < fixture->block ? packets - lowest : fixture->block);
	return failed || check_memory(fixture);
}

/*
 * The first few messages, then every 32nd: the window words have 5 bits of the MPQ's generation, so they are equal again. The short
 * messages in between do not use the whole window.
 */
static int is_long(unsigned message)
{
	return message < 9 || message % 32 == 0;
}

static int run(struct fixture *fixture)
{
	struct ends want = { 0 }, got;
	int failed = 0;

	for (unsigned i = 0; i < MESSAGES && !failed; i++) {
		failed = send_message(fixture, is_long(i) ? 1 + 3 * fixture->block : SHORT_PACKETS);
		want.messages++;
		want.dropped_bytes += fixture->beyond;
		want.flow_control += fixture->beyond != 0;
	}
	if (failed)
		return failed;
	if (fixture->engine->ops->read(fixture->engine, "spin_state", 0, &got, sizeof(got)))
		return wrong(fixture, 0, engine_error());
	return memcmp(&got, &want, sizeof(want)) ? wrong(fixture, 0, "leaves another state") : 0;
}

static int run_window(enum engine_kind kind, uint32_t window)
{
	const struct engine_context context = { .rule = { .protocol = 17 },
						.message = { .host_bytes = HOST_BYTES, .messages = 1, .window = window } };
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct built built;
	int rc = fixture ? built_handler("msg_default", &built) : engine_fail(-ENOMEM, "no memory");

	if (fixture)
		fixture->block = (window ? window : SPIN_WINDOW) + 1;
	if (!rc)
		rc = engine_open(kind, &built.handler, &context, &fixture->engine);
	if (!rc)
		rc = message_packet_make(&fixture->packet, 1);
	if (!rc)
		rc = run(fixture);
	if (fixture)
		engine_close(fixture->engine);
	free(fixture);
	return rc;
}

static int run_engine(enum engine_kind kind)
{
	int rc = run_window(kind, 0);

	return rc ? rc : run_window(kind, WIDE_WINDOW);
}

int main(int argc, char **argv)
{
	int status = each_engine(argc, argv, run_engine);

	printf("%llu packets\n", sent);
	return status;
}
