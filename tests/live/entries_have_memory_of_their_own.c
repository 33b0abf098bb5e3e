/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the memory that a matching entry, which the host posts for messages, may have for its handlers in addition to that of its messages.
 * Handlers must reach it as it was posted: concatenated segments and a counter of its own, and nothing where none was given. Datagrams use
 * entry 0, which covers the whole host memory unless configured otherwise. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "user/conformance/template/template.h"
#include "tests/handlers/messages/entry_reach.h"
#include <spin/libspin_message.h>

static struct spin_object *messages, *datagrams;
static struct spin_rule rule;

static struct spin_ctx *create(const struct spin_object *object, enum spin_class class, struct spin_message_opts message)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class, .message = message };
	struct spin_ctx *ctx;

	expect(0, spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx), "a context");
	return ctx;
}

/* Sends `bytes` bytes as a datagram, or as a message of one packet with match bits. */
static void send_packet(struct spin_ctx *ctx, const char *slmp, unsigned match, unsigned bytes, enum spin_reason want)
{
	uint64_t before[SPIN_REASON_COUNT], after[SPIN_REASON_COUNT];
	static uint8_t out[ENGINE_FRAME_MAX];
	struct spin_run_result result;
	static struct template t;
	char line[64];

	template_start(&t);
	if (template_line(&t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 || template_line(&t, "ip4 10.0.0.1 > 10.0.0.2") != 1 ||
	    template_line(&t, "udp 4000 > 9330") != 1 || (slmp && template_line(&t, slmp) != 1))
		fail(engine_error());
	snprintf(line, sizeof(line), "put match %u", match);
	if (slmp && template_line(&t, line) != 1)
		fail(engine_error());
	snprintf(line, sizeof(line), "fill %u 1", bytes);
	if (template_line(&t, line) != 1 || template_finish(&t))
		fail(engine_error());
	spin_ctx__counters(ctx, before);
	expect(0, spin_ctx__run(ctx, t.frame, t.bytes, 1, out, sizeof(out), &result), "a packet");
	spin_ctx__counters(ctx, after);
	expect((long long)before[want] + 1, (long long)after[want], spin_reason_name(want));
}

static void expect_counter(struct spin_ctx *ctx, unsigned me, uint32_t success, uint32_t failure)
{
	struct spin_ct ct;

	expect(0, spin_ctx__me_ct(ctx, me, &ct), "a counter");
	expect(success, ct.success, "successes");
	expect(failure, ct.failure, "failures");
}

static uint8_t *memory_of(struct spin_ctx *ctx)
{
	size_t bytes;
	void *addr;

	expect(0, spin_ctx__host_memory(ctx, &addr, &bytes), "host memory");
	return addr;
}

static void expect_note(const void *at, uint32_t bytes, uint32_t before)
{
	struct reach_note seen;

	memcpy(&seen, at, sizeof(seen));
	expect(bytes, seen.bytes, "bytes noted");
	expect(before, seen.before, "the counter noted");
}

static void test_messages(void)
{
	const struct spin_segment halves[] = { { 4088, 8 }, { 64, 8 } }, one = { 1024, 64 };
	struct spin_me_opts opts = { .bytes = sizeof(opts), .match_bits = 1, .handler_mem = halves, .handler_segments = 2, .length = 1024 };
	struct spin_ctx *ctx =
		create(messages, SPIN_CLASS_TRUSTED, (struct spin_message_opts){ .host_bytes = 4096, .no_entry = 1, .put = 1 });
	uint8_t *host = memory_of(ctx), joined[16];
	unsigned a, b, c;

	expect(0, spin_ctx__me_append(ctx, &opts, &a), "an entry with two segments");
	opts.match_bits = 2;
	opts.handler_mem = &one;
	opts.handler_segments = 1;
	expect(0, spin_ctx__me_append(ctx, &opts, &b), "an entry with one");
	opts.match_bits = 3;
	opts.handler_segments = 0;
	expect(0, spin_ctx__me_append(ctx, &opts, &c), "an entry with none");
	send_packet(ctx, "slmp SYN EOM PUT id 1 off 0", 1, 100, SPIN_REASON_PROCEEDED);
	send_packet(ctx, "slmp SYN EOM PUT id 2 off 0", 2, 200, SPIN_REASON_PROCEEDED);
	send_packet(ctx, "slmp SYN EOM PUT id 3 off 0", 3, 300, SPIN_REASON_PROCEEDED);
	memcpy(joined, host + 4088, 8);
	memcpy(joined + 8, host + 64, 8);
	expect_note(joined, 100, 0);
	expect_note(host + 1024, 200, 0);
	expect_counter(ctx, a, 1, 0);
	expect_counter(ctx, b, 1, 0);
	expect_counter(ctx, c, 0, 1);
	expect(0, spin_ctx__me_set_ct(ctx, b, (struct spin_ct){ 41, 7 }), "another value");
	send_packet(ctx, "slmp SYN EOM PUT id 4 off 0", 2, 201, SPIN_REASON_PROCEEDED);
	expect_note(host + 1024, 201, 41);
	expect_counter(ctx, b, 42, 7);
	expect_counter(ctx, a, 1, 0);
	expect(0, spin_ctx__me_unlink(ctx, a), "unlinking");
	expect_counter(ctx, a, 1, 0);
	spin_ctx__destroy(ctx);
}

static void the_first_entry(void)
{
	const struct spin_segment one = { 2048, 16 };
	struct spin_ctx *ctx =
		create(messages, SPIN_CLASS_TRUSTED,
		       (struct spin_message_opts){ .host_bytes = 4096, .handler_mem = &one, .handler_segments = 1, .put = 1 });

	send_packet(ctx, "slmp SYN EOM PUT id 1 off 0", 0, 10, SPIN_REASON_PROCEEDED);
	expect_note(memory_of(ctx) + 2048, 10, 0);
	expect_counter(ctx, 0, 1, 0);
	spin_ctx__destroy(ctx);
	ctx = create(messages, SPIN_CLASS_TRUSTED, (struct spin_message_opts){ .host_bytes = 4096, .put = 1 });
	send_packet(ctx, "slmp SYN EOM PUT id 1 off 0", 0, 10, SPIN_REASON_PROCEEDED);
	expect_counter(ctx, 0, 0, 1); /* no memory was given */
	spin_ctx__destroy(ctx);
}

static void test_datagrams(enum spin_class class)
{
	const struct spin_segment halves[] = { { 32, 8 }, { 8, 8 } }, few = { 0, 8 };
	struct spin_ctx *ctx = create(datagrams, class, (struct spin_message_opts){ .host_bytes = 20 });
	uint8_t *host = memory_of(ctx), joined[16];

	send_packet(ctx, NULL, 0, 30, SPIN_REASON_SUCCESS); /* all of the memory, 8 bytes at a time */
	expect_note(host, 30, 0);
	send_packet(ctx, NULL, 0, 31, SPIN_REASON_SUCCESS);
	expect_note(host, 31, 1);
	expect_counter(ctx, 0, 2, 0);
	expect(0, spin_ctx__me_set_ct(ctx, 0, (struct spin_ct){ 9, 0 }), "another value");
	send_packet(ctx, NULL, 0, 32, SPIN_REASON_SUCCESS);
	expect_note(host, 32, 9);
	spin_ctx__destroy(ctx);
	ctx = create(datagrams, class, (struct spin_message_opts){ .host_bytes = 64, .handler_mem = halves, .handler_segments = 2 });
	host = memory_of(ctx);
	send_packet(ctx, NULL, 0, 33, SPIN_REASON_SUCCESS);
	memcpy(joined, host + 32, 8);
	memcpy(joined + 8, host + 8, 8);
	expect_note(joined, 33, 0);
	expect(0, host[0] | host[16] | host[40], "bytes beside the segments");
	spin_ctx__destroy(ctx);
	ctx = create(datagrams, class, (struct spin_message_opts){ .handler_mem = &few, .handler_segments = 1 });
	send_packet(ctx, NULL, 0, 34, SPIN_REASON_SEGV);
	expect_counter(ctx, 0, 0, 1);
	spin_ctx__destroy(ctx);
}

int main(void)
{
	char path[512];

	netns_new();
	if (built_object("msg_entry_reach", path, sizeof(path)) || spin_object__open(path, &messages) ||
	    built_object("entry_reach", path, sizeof(path)) || spin_object__open(path, &datagrams) || spin_rule__parse("udp", &rule))
		fail("handlers");
	test_messages();
	the_first_entry();
	test_datagrams(SPIN_CLASS_TRUSTED);
	test_datagrams(SPIN_CLASS_ISOLATED);
	return 0;
}
