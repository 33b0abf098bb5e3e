/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the reset by which tests/messages run many random schedules of messages in the kernel, with programs that are loaded once. After a
 * reset the kernel must have forgotten all messages: a schedule must have the same results after any other schedules as it had at first.
 * Schedules are random: lost, duplicated and overtaking packets, reused ids, entries that are used once, time. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <netinet/in.h>
#include <zlib.h>

#include "tests/common/built.h"
#include "user/conformance/template/template.h"

#define STRIDE     16
#define MESSAGES   12
#define PACKETS    8
#define STEPS      60
#define SCHEDULES  400
#define HOST_BYTES 4096

static struct engine *engine;
static struct template frame[MESSAGES][PACKETS]; /* the last packet of each has EOM */

static void die(const char *what)
{
	printf("FAIL: %s: %s\n", what, engine_error());
	exit(1);
}

static uint32_t number; /* state of the random number generator */

static uint32_t below(uint32_t n)
{
	number = number * 1664525 + 1013904223;
	return (number >> 8) % n;
}

static void make_frames(void)
{
	char line[64];

	for (unsigned m = 0; m < MESSAGES; m++) {
		for (unsigned i = 0; i < PACKETS; i++) {
			struct template *t = &frame[m][i];

			template_start(t);
			snprintf(line, sizeof(line), "slmp SYN%s id %u off %u", i == PACKETS - 1 ? " EOM" : "", m, i * STRIDE);
			if (template_line(t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 ||
			    template_line(t, "ip4 10.0.0.1 > 10.0.0.2") != 1 || template_line(t, "udp 4000 > 9330") != 1 ||
			    template_line(t, line) != 1 || template_line(t, "fill 16 7") != 1 || template_finish(t))
				die("a packet");
		}
	}
}

static uLong hash_bytes(uLong digest, const void *data, size_t bytes)
{
	return crc32(digest, data, (uInt)bytes);
}

static uLong hash_events(uLong digest, const struct engine_events *events)
{
	digest = hash_bytes(digest, &events->count, sizeof(events->count));
	return hash_bytes(digest, events->event, events->count * sizeof(events->event[0]));
}

static uLong step(uLong digest, uint32_t *now_ms)
{
	static struct engine_out out;
	const struct template *t;
	unsigned me;

	switch (below(20)) {
	case 0:
		*now_ms += below(150);
		if (engine->ops->clock(engine, *now_ms, &out.events))
			die("the clock");
		return hash_events(digest, &out.events);
	case 1:
		if (!engine->ops->me_append(engine,
					    &(struct spin_me_opts){ .bytes = sizeof(struct spin_me_opts),
								    .ignore_bits = ~0ull,
								    .start = below(HOST_BYTES),
								    .options = below(2) },
					    &me))
			digest = hash_bytes(digest, &me, sizeof(me));
		return digest;
	case 2:
		me = below(4);
		me = (unsigned)engine->ops->me_unlink(engine, me);
		return hash_bytes(digest, &me, sizeof(me));
	}
	t = &frame[below(MESSAGES)][below(PACKETS)];
	if (engine->ops->packet(engine, t->frame, t->bytes, &out))
		die("a packet");
	digest = hash_bytes(digest, &out.reason, sizeof(out.reason));
	digest = hash_bytes(digest, &out.verdict, sizeof(out.verdict));
	return hash_events(hash_bytes(digest, out.frame, out.frame_bytes), &out.events);
}

/* Returns a checksum of everything that a schedule shows. */
static uLong run(uint32_t seed)
{
	uint8_t host[HOST_BYTES];
	uLong digest = 0;
	uint32_t now_ms = 0;
	struct spin_me me;

	number = seed;
	for (unsigned i = 0; i < STEPS; i++)
		digest = step(digest, &now_ms);
	if (engine->ops->host_read(engine, 0, host, sizeof(host)))
		die("host memory");
	digest = hash_bytes(digest, host, sizeof(host));
	for (unsigned i = 0; i < SPIN_MES_MAX; i++) {
		if (engine->ops->me_get(engine, i, &me))
			die("an entry");
		if (me.state != SPIN_ME_FREE)
			digest = hash_bytes(digest, &me, sizeof(me));
		else
			digest = hash_bytes(digest, &i, sizeof(i));
	}
	return digest;
}

static void reset(void)
{
	if (engine->ops->reset(engine))
		die("reset");
}

static void results_are_repeatable(struct spin_message_opts opts)
{
	struct engine_context context = { .message = opts };
	static uLong first[SCHEDULES];
	struct built built;
	int err;

	context.rule.protocol = IPPROTO_UDP;
	if (built_handler("msg_copy", &built))
		die("msg_copy");
	err = engine_open(ENGINE_BPF, &built.handler, &context, &engine);
	if (err)
		die("opening the engine");
	for (uint32_t i = 0; i < SCHEDULES; i++) {
		if (i)
			reset();
		first[i] = run(i);
	}
	for (uint32_t i = 0; i < SCHEDULES; i += 7) {
		uint32_t seed = SCHEDULES - 1 - i;

		reset();
		if (run(seed) != first[seed]) {
			printf("FAIL: schedule %u came to something else after others\n", seed);
			exit(1);
		}
	}
	engine_close(engine);
	/* and the same as on an engine that has not run any other schedule */
	err = engine_open(ENGINE_BPF, &built.handler, &context, &engine);
	if (err)
		die("opening the engine");
	if (run(SCHEDULES - 1) != first[SCHEDULES - 1]) {
		printf("FAIL: the last schedule came to something else in a new engine\n");
		exit(1);
	}
	engine_close(engine);
}

int main(void)
{
	if (geteuid()) {
		printf("skip: running handlers in the kernel needs root\n");
		return 77;
	}
	make_frames();
	results_are_repeatable(
		(struct spin_message_opts){ .host_bytes = HOST_BYTES, .messages = 4, .parking = 6, .idle_ms = 100, .tombstone_ms = 200 });
	results_are_repeatable((struct spin_message_opts){ .host_bytes = HOST_BYTES });
	return 0;
}
