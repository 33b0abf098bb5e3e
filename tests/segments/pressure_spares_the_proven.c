/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests what <spin/segment.h> says under "Pressure" (more connections than places), on every engine. A flood of 8000 new connections finds
 * places, because those before it yield, and evicts none that is proven (SPIN_PROVEN_PACKETS of its segments were accepted). An evicted
 * connection begins again with its next payload, so no payload gets past the handlers. When proven connections have all places, others of
 * their source are dropped as NO_MPQ, and one yields to another source; those that have ended yield. Run by tests/run.
 *
 *	pressure_spares_the_proven [--engine host|bpf|isolated|model]
 */
#include <stdio.h>
#include <string.h>

#include <spin/libspin.h>
#include <spin/wire.h>

#include "tests/common/each_engine.h"
#include "tests/handlers/segments/seg_random.h"
#include "tests/segments/frame.h"
#include "tests/segments/reference_engine.h"

#define PROVEN 6u    /* with so few, eight places of one key hardly ever are all proven */
#define FLOOD  8000u /* several times as many as there are places */
#define MANY   1500u /* more than there are places */
#define OTHERS 100u  /* connections of another source */

#define OTHER_SOURCE 0x3000u /* segment() makes the source of this number */

struct test {
	enum engine_kind kind;
	uint32_t ip_version;
	struct engine *engine;
	struct seg_state state; /* SEG_STATE_COMPARED bytes */
	uint32_t sent[MANY];    /* bytes of proven connections that were accepted */
};

#define FAIL(t, format, ...) (printf("FAIL  %s: " format "\n", engine_name((t)->kind) __VA_OPT__(, ) __VA_ARGS__), 1)

/* Sends a segment at an offset. Returns its reason, or a negative errno. *headers becomes the number of header handlers that ran. */
static int segment(struct test *t, uint32_t number, uint8_t flags, uint32_t offset, uint32_t bytes, unsigned *headers)
{
	static uint8_t frame[ENGINE_FRAME_MAX], payload[16];
	static struct engine_out out;
	const struct segframe_shape shape = { 0 };
	struct segref_segment s = { .flags = flags, .bytes = bytes, .payload = payload, .ttl = 64 };
	uint32_t before = t->state.runs;
	int err;

	s.key = (struct segref_key){
		.ip_version = t->ip_version, .src = { 10, (uint8_t)(number >> 12) }, .dst = { 10, 1 }, .dst_port = 80
	};
	if (t->ip_version == 6)
		s.key.src[15] = (uint8_t)number; /* addresses of one source */
	s.key.src_port = (uint16_t)(0x4000 + 8 * (number & 0xfff));
	s.seq = number * 77777 + offset + (flags & SPIN_TCP_SYN ? 0 : 1);
	err = t->engine->ops->packet(t->engine, frame, segframe_build(&s, &shape, frame), &out);
	if (!err)
		err = t->engine->ops->read(t->engine, "spin_state", 0, &t->state, SEG_STATE_COMPARED);
	*headers = 0;
	for (uint32_t i = before; i < t->state.runs && !err; i++)
		*headers += t->state.run[i % SEG_RUNS].kind == SEG_HEADER;
	return err ? err : (int)out.reason;
}

/* Begins a connection and makes it proven. Returns 0, or 1 if it is NO_MPQ, or -1 after a message. */
static int prove(struct test *t, uint32_t number)
{
	unsigned headers;
	int reason = segment(t, number, SPIN_TCP_SYN, 0, 0, &headers);

	if (reason == SPIN_REASON_NO_MPQ && !headers)
		return 1;
	if (reason != SPIN_REASON_PROCEEDED || headers != 1)
		return -FAIL(t, "SYN %u has reason %d, and %u header handlers ran", number, reason, headers);
	for (t->sent[number] = 0; t->sent[number] < SPIN_PROVEN_PACKETS; t->sent[number]++) {
		reason = segment(t, number, SPIN_TCP_ACK, t->sent[number], 1, &headers);
		if (reason != SPIN_REASON_SUCCESS || headers)
			return -FAIL(t, "byte %u of connection %u has reason %d, and %u header handlers ran", t->sent[number], number,
				     reason, headers);
	}
	return 0;
}

/* A proven connection goes on, and ends if `fin`. */
static int go_on(struct test *t, uint32_t number, int fin)
{
	uint32_t before = t->state.runs;
	const struct seg_run *last;
	unsigned headers;
	int reason = segment(t, number, SPIN_TCP_ACK | (fin ? SPIN_TCP_FIN : 0), t->sent[number]++, 1, &headers);

	if (reason != SPIN_REASON_SUCCESS || headers)
		return FAIL(t, "proven connection %u has reason %d, and %u header handlers ran", number, reason, headers);
	last = &t->state.run[(t->state.runs - 1) % SEG_RUNS];
	if (t->state.runs != before + 1 + (fin != 0) || (fin && (last->kind != SEG_COMPLETION || last->length != t->sent[number])))
		return FAIL(t, "proven connection %u does not end with %u bytes", number, t->sent[number]);
	return t->state.strangers ? FAIL(t, "two connections have one number") : 0;
}

static int check_flood(struct test *t)
{
	unsigned headers, again = 0;
	int reason;

	for (uint32_t i = 0; i < PROVEN; i++)
		if (prove(t, i))
			return FAIL(t, "no place for the first connections");
	for (uint32_t i = 0; i < FLOOD; i++) {
		reason = segment(t, MANY + i, SPIN_TCP_SYN, 0, 0, &headers);
		if (reason != SPIN_REASON_PROCEEDED || headers != 1)
			return FAIL(t, "SYN %u of a flood has reason %d, and %u header handlers ran", i, reason, headers);
	}
	for (uint32_t i = 0; i < PROVEN; i++)
		if (go_on(t, i, 0))
			return 1;
	for (uint32_t i = 0; i < FLOOD; i++) {
		uint32_t before = t->state.runs;

		reason = segment(t, MANY + i, SPIN_TCP_ACK, 0, 10, &headers);
		if (reason != SPIN_REASON_SUCCESS || t->state.runs != before + 1 + headers)
			return FAIL(t, "payload after a flood has reason %d, and %u handlers ran", reason, t->state.runs - before);
		again += headers;
	}
	if (again < FLOOD - SPIN_CONNECTIONS_MAX)
		return FAIL(t, "only %u of %u connections were evicted", again, FLOOD);
	for (uint32_t i = 0; i < PROVEN; i++)
		if (go_on(t, i, 1))
			return 1;
	return 0;
}

/* All places have proven connections of one source. */
static int check_others(struct test *t)
{
	unsigned headers;

	for (uint32_t i = 0; i < OTHERS; i++) {
		int reason = segment(t, OTHER_SOURCE + i, SPIN_TCP_SYN, 0, 0, &headers);

		if (reason != SPIN_REASON_PROCEEDED || headers != 1)
			return FAIL(t, "SYN %u of another source has reason %d, and %u header handlers ran", i, reason, headers);
	}
	return 0;
}

/* Ends a proven connection, which may have been evicted: then it begins again with that segment. */
static int end(struct test *t, uint32_t number, unsigned *evicted)
{
	unsigned headers;
	int reason = segment(t, number, SPIN_TCP_ACK | SPIN_TCP_FIN, t->sent[number], 1, &headers);
	const struct seg_run *last = &t->state.run[(t->state.runs - 1) % SEG_RUNS];
	uint32_t bytes = headers ? 1 : t->sent[number] + 1;

	*evicted += headers;
	if (reason != SPIN_REASON_SUCCESS || headers > 1)
		return FAIL(t, "the end of connection %u has reason %d, and %u header handlers ran", number, reason, headers);
	return last->kind == SEG_COMPLETION && last->length == bytes ? 0
								     : FAIL(t, "connection %u does not end with %u bytes", number, bytes);
}

static int check_full(struct test *t)
{
	static uint8_t is_open[MANY];
	unsigned open = 0, refused = 0, evicted = 0;

	memset(is_open, 0, sizeof(is_open));
	for (uint32_t i = PROVEN; i < MANY; i++) {
		int rc = prove(t, i);

		if (rc < 0)
			return 1;
		is_open[i] = !rc;
		open += !rc;
		refused += rc;
	}
	if (!refused || open > SPIN_CONNECTIONS_MAX || open < SPIN_CONNECTIONS_MAX / 2)
		return FAIL(t, "%u proven connections are open, and %u found no place", open, refused);
	if (check_others(t))
		return 1;
	for (uint32_t i = PROVEN; i < MANY; i++)
		if (is_open[i] && end(t, i, &evicted))
			return 1;
	if (!evicted || evicted > OTHERS)
		return FAIL(t, "%u connections were evicted by %u of another source", evicted, OTHERS);
	/* all have ended, so that each new one finds a place */
	for (uint32_t i = 0; i < SPIN_CONNECTIONS_MAX / 2; i++) {
		unsigned headers;

		if (segment(t, MANY + FLOOD + i, SPIN_TCP_SYN, 0, 0, &headers) != SPIN_REASON_PROCEEDED || headers != 1)
			return FAIL(t, "SYN %u finds no place, and all connections have ended", i);
	}
	printf("%s, IPv%u: %u proven connections at a time\n", engine_name(t->kind), t->ip_version, open);
	return 0;
}

static int run_version(enum engine_kind kind, uint32_t ip_version)
{
	static struct test t;
	int err;

	memset(&t, 0, sizeof(t));
	t.kind = kind;
	t.ip_version = ip_version;
	err = segment_engine_open(kind, "seg_random", &t.engine);
	if (!err)
		err = check_flood(&t);
	if (!err)
		err = check_full(&t);
	engine_close(t.engine);
	return err;
}

static int run(enum engine_kind kind)
{
	int err = run_version(kind, 4);

	return err ? err : run_version(kind, 6);
}

int main(int argc, char **argv)
{
	return each_engine(argc, argv, run);
}
