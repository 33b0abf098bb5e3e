/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks what libspin_message.h documents, mostly on packets that the test gives to the kernel's program: options and matching entries
 * (memory posted for messages) that are refused, counters of entries, a message's state from its first packet to its event, timeouts by a
 * clock that the test sets. Then on an interface of its own, where the library must time messages out by itself. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/if_packet.h>
#include <net/if.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "user/conformance/template/template.h"
#include <spin/libspin_message.h>

#define STRIDE 64

static struct spin_object *object, *datagrams;
static struct spin_rule rule;

static struct spin_ctx_opts make_opts(struct spin_message_opts message)
{
	return (struct spin_ctx_opts){ .bytes = sizeof(struct spin_ctx_opts), .message = message };
}

static struct spin_ctx *create(struct spin_message_opts message)
{
	const struct spin_ctx_opts opts = make_opts(message);
	struct spin_ctx *ctx;

	expect(0, spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx), "a context of messages");
	return ctx;
}

/* Makes packet `number` of message `id`. Its payload is filled with the number. last: with EOM. */
static void make_packet(struct template *t, unsigned id, unsigned number, int last)
{
	char line[128];

	template_start(t);
	snprintf(line, sizeof(line), "slmp SYN%s id %u off %u", last ? " EOM" : "", id, number * STRIDE);
	if (template_line(t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 || template_line(t, "ip4 10.0.0.1 > 10.0.0.2") != 1 ||
	    template_line(t, "udp 4000 > 9330") != 1 || template_line(t, line) != 1)
		fail(line);
	snprintf(line, sizeof(line), "fill %u %u", STRIDE, number + 1);
	if (template_line(t, line) != 1 || template_finish(t))
		fail(engine_error());
}

static void packet(struct spin_ctx *ctx, unsigned id, unsigned number, int last, enum spin_reason want)
{
	uint64_t before[SPIN_REASON_COUNT], after[SPIN_REASON_COUNT];
	static uint8_t out[ENGINE_FRAME_MAX];
	static struct template t;
	struct spin_run_result result;

	make_packet(&t, id, number, last);
	spin_ctx__counters(ctx, before);
	expect(0, spin_ctx__run(ctx, t.frame, t.bytes, 1, out, sizeof(out), &result), "a packet");
	spin_ctx__counters(ctx, after);
	if (after[want] != before[want] + 1)
		fail(spin_reason_name(want));
}

static struct spin_event last_event;
static unsigned events;

static void on_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	last_event = *event;
	events++;
}

static void options_are_checked(void)
{
	const struct spin_segment whole = { 0, SPIN_HOST_BYTES };
	const struct {
		struct spin_message_opts opts;
		const char *says;
	} refused[] = {
		{ { .host_bytes = SPIN_HOST_BYTES_MAX + 1ul }, "message.host_bytes" },
		{ { .messages = SPIN_MPQS_MAX + 1 }, "at most 4096" },
		{ { .parking = SPIN_PARKING_MAX + 1 }, "message.parking" },
		{ { .idle_ms = 86400001 }, "message.idle_ms" },
		{ { .tombstone_ms = 86400001 }, "message.tombstone_ms" },
		{ { .window = SPIN_WINDOW_MAX + 1 }, "at most 262080" },
		{ { .window = SPIN_WINDOW - 1 }, "the least is 1024" },
		{ { .messages = SPIN_MPQS_MAX, .window = SPIN_WINDOW_MAX }, "at most 64 for windows" },
		{ { .handler_segments = 17, .handler_mem = &whole }, "at most 16" },
		{ { .handler_segments = 1 }, "handler_mem is NULL" },
		{ { .handler_segments = 1, .handler_mem = &whole, .no_entry = 1 }, "message.no_entry says there is none" },
		{ { .handler_segments = 1, .handler_mem = &whole, .host_bytes = 16 }, "outside the host memory of 16 bytes" },
	};
	struct spin_ctx_opts opts;
	struct spin_me_opts me = { .bytes = sizeof(me) };
	struct spin_message_info *none = NULL;
	struct spin_message_stats stats;
	struct spin_ctx *ctx;
	unsigned index;

	for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		opts = make_opts(refused[i].opts);
		expect(-EINVAL, spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx), refused[i].says);
		expect_error_text(refused[i].says);
	}
	opts = make_opts((struct spin_message_opts){ .messages = 1 });
	expect(-EINVAL, spin_ctx__create_opts(NULL, datagrams, &rule, &opts, &ctx), "messages of datagrams");
	expect_error_text("takes datagrams");
	expect(0, spin_ctx__create(NULL, datagrams, &rule, &ctx), "a context of datagrams");
	expect(-EOPNOTSUPP, spin_ctx__me_append(ctx, &me, &index), "an entry of datagrams");
	expect(-EOPNOTSUPP, spin_ctx__messages(ctx, NULL, none), "messages of datagrams");
	expect(-EOPNOTSUPP, spin_ctx__message_stats(ctx, &stats), "counts of messages of datagrams");
	expect(-EOPNOTSUPP, spin_ctx__progress(ctx), "progress of datagrams");
	expect_error_text("takes datagrams");
	spin_ctx__destroy(ctx);
}

static void entries_are_posted_and_unlinked(void)
{
	struct spin_ctx *ctx = create((struct spin_message_opts){ .host_bytes = 4097 });
	struct spin_me_opts opts = { .bytes = sizeof(opts), .start = 4096 };
	struct spin_me me;
	unsigned index;
	size_t bytes;
	void *addr;

	expect(0, spin_ctx__host_memory(ctx, &addr, &bytes), "host memory");
	expect(4097, (long long)bytes, "its size");
	expect(0, spin_ctx__me_get(ctx, 0, &me), "the first entry");
	expect(SPIN_ME_OPEN, me.state, "its state");
	expect(4097, me.length, "its length");
	expect(-1, (long long)me.ignore_bits, "the bits it ignores");
	opts.length = 2;
	expect(-EINVAL, spin_ctx__me_append(ctx, &opts, &index), "an entry that ends outside");
	opts.start = 4097;
	opts.length = 0;
	expect(-EINVAL, spin_ctx__me_append(ctx, &opts, &index), "an entry that begins outside");
	expect_error_text("host memory of 4097 bytes");
	opts = (struct spin_me_opts){ .bytes = sizeof(opts), .options = SPIN_ME_OPTIONS + 1 };
	expect(-EINVAL, spin_ctx__me_append(ctx, &opts, &index), "an unknown option");
	opts = (struct spin_me_opts){ .bytes = sizeof(opts), .start = 4096 };
	for (unsigned i = 1; i < SPIN_MES_MAX; i++) {
		expect(0, spin_ctx__me_append(ctx, &opts, &index), "an entry");
		expect(i, index, "its index");
	}
	expect(-ENOSPC, spin_ctx__me_append(ctx, &opts, &index), "an entry too many");
	expect(0, spin_ctx__me_unlink(ctx, 7), "unlinking");
	expect(-ENOENT, spin_ctx__me_unlink(ctx, 7), "unlinking again");
	expect(-ENOENT, spin_ctx__me_unlink(ctx, SPIN_MES_MAX), "unlinking what cannot be");
	expect(0, spin_ctx__me_append(ctx, &opts, &index), "an entry in its place");
	expect(7, index, "its index");
	expect(0, spin_ctx__me_get(ctx, 7, &me), "it");
	expect(1, me.length, "to the end of the host memory");
	spin_ctx__destroy(ctx);
	ctx = create((struct spin_message_opts){ .no_entry = 1 });
	expect(0, spin_ctx__me_get(ctx, 0, &me), "no first entry");
	expect(SPIN_ME_FREE, me.state, "its state");
	packet(ctx, 1, 0, 1, SPIN_REASON_NO_ME);
	spin_ctx__destroy(ctx);
}

/* Checks start and length of segments, and the messages about them. */
static void segments_are_checked(void)
{
	static const struct {
		struct spin_segment segment;
		const char *says;
	} refused[] = {
		{ { 4, 8 }, "multiples of 8" },
		{ { 8, 12 }, "multiples of 8" },
		{ { 8, 0 }, "the length not 0" },
		{ { 4096, 8 }, "bytes 4096 to 4104, and lies outside the host memory of 4097 bytes" },
		{ { 0xfffffff8, 0xfffffff8 }, "outside" },
	};
	const struct spin_segment good[] = { { 4088, 8 }, { 0, 4096 }, { 8, 8 } }; /* they may overlap */
	struct spin_ctx *ctx = create((struct spin_message_opts){ .host_bytes = 4097 });
	struct spin_segment many[SPIN_SEGMENTS_MAX + 1];
	struct spin_me_opts opts = { .bytes = sizeof(opts), .handler_mem = good, .handler_segments = 3 };
	unsigned index;

	expect(0, spin_ctx__me_append(ctx, &opts, &index), "an entry with three segments");
	for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		const struct spin_segment two[] = { good[0], refused[i].segment };

		opts.handler_mem = two;
		opts.handler_segments = 2;
		expect(-EINVAL, spin_ctx__me_append(ctx, &opts, &index), refused[i].says);
		expect_error_text("segment 1 of the handler memory");
		expect_error_text(refused[i].says);
	}
	for (unsigned i = 0; i <= SPIN_SEGMENTS_MAX; i++)
		many[i] = good[0];
	opts.handler_mem = many;
	opts.handler_segments = SPIN_SEGMENTS_MAX;
	expect(0, spin_ctx__me_append(ctx, &opts, &index), "an entry with as many segments as there can be");
	opts.handler_segments++;
	expect(-EINVAL, spin_ctx__me_append(ctx, &opts, &index), "one more");
	expect_error_text("at most 16");
	opts.handler_mem = NULL;
	opts.handler_segments = 1;
	expect(-EINVAL, spin_ctx__me_append(ctx, &opts, &index), "segments that are nowhere");
	spin_ctx__destroy(ctx);
}

/* Handlers need not use the counters. */
static void counters_are_read_and_set(void)
{
	struct spin_ctx *ctx = create((struct spin_message_opts){ .no_entry = 1 });
	struct spin_me_opts opts = { .bytes = sizeof(opts) };
	struct spin_ct ct;
	unsigned index;

	expect(0, spin_ctx__me_append(ctx, &opts, &index), "an entry");
	expect(0, spin_ctx__me_ct(ctx, index, &ct), "its counter");
	expect(0, ct.success | ct.failure, "a new counter");
	expect(0, spin_ctx__me_set_ct(ctx, index, (struct spin_ct){ 7, 0xffffffff }), "another value");
	expect(0, spin_ctx__me_ct(ctx, index, &ct), "its counter");
	expect(7, ct.success, "success");
	expect(0xffffffff, ct.failure, "failure");
	expect(0, spin_ctx__me_unlink(ctx, index), "unlinking");
	expect(0, spin_ctx__me_ct(ctx, index, &ct), "the counter of an entry that is unlinked");
	expect(7, ct.success, "what it was");
	expect(0, spin_ctx__me_append(ctx, &opts, &index), "another entry in its place");
	expect(0, spin_ctx__me_ct(ctx, index, &ct), "its counter");
	expect(0, ct.success | ct.failure, "a new counter");
	expect(-ENOENT, spin_ctx__me_ct(ctx, SPIN_MES_MAX, &ct), "an entry that cannot be");
	expect(-ENOENT, spin_ctx__me_set_ct(ctx, SPIN_MES_MAX, ct), "an entry that cannot be");
	spin_ctx__destroy(ctx);
}

static void datagrams_have_host_memory(void)
{
	const struct spin_segment part = { 8, 16 };
	const struct spin_ctx_opts opts =
		make_opts((struct spin_message_opts){ .host_bytes = 64, .handler_mem = &part, .handler_segments = 1 });
	struct spin_ctx *ctx;
	struct spin_ct ct;
	uint8_t *addr;
	size_t bytes;

	expect(0, spin_ctx__create(NULL, datagrams, &rule, &ctx), "a context of datagrams");
	expect(0, spin_ctx__host_memory(ctx, (void **)&addr, &bytes), "its host memory");
	expect(SPIN_HOST_BYTES, (long long)bytes, "its size");
	addr[bytes - 1] = 1;
	expect(0, spin_ctx__me_set_ct(ctx, 0, (struct spin_ct){ 1, 2 }), "the counter");
	expect(0, spin_ctx__me_ct(ctx, 0, &ct), "the counter");
	expect(2, ct.failure, "failure");
	expect(-ENOENT, spin_ctx__me_ct(ctx, 1, &ct), "another entry of datagrams");
	expect_error_text("of datagrams there is 0 alone");
	spin_ctx__destroy(ctx);
	expect(0, spin_ctx__create_opts(NULL, datagrams, &rule, &opts, &ctx), "datagrams with handler memory");
	expect(0, spin_ctx__host_memory(ctx, (void **)&addr, &bytes), "host memory");
	expect(64, (long long)bytes, "its size");
	spin_ctx__destroy(ctx);
}

static struct spin_message_info seen[4];

static int on_message(void *arg, const struct spin_message_info *message)
{
	unsigned *count = arg;

	if (*count < 4)
		seen[*count] = *message;
	++*count;
	return 0;
}

static unsigned count_messages(struct spin_ctx *ctx)
{
	unsigned count = 0;

	expect(0, spin_ctx__messages(ctx, on_message, &count), "messages in flight");
	return count;
}

static void a_message_is_seen_from_its_first_packet_to_its_last(void)
{
	struct spin_ctx *ctx = create((struct spin_message_opts){ .virtual_clock = 1, .host_bytes = 4096 });
	struct spin_message_stats stats;
	uint8_t *memory;
	struct spin_me me;
	size_t bytes;

	events = 0;
	expect(0, spin_ctx__host_memory(ctx, (void **)&memory, &bytes), "host memory");
	expect(0, spin_ctx__set_clock(ctx, 100), "the time");
	packet(ctx, 77, 3, 1, SPIN_REASON_PARKED);
	packet(ctx, 77, 1, 0, SPIN_REASON_PARKED);
	expect(0, spin_ctx__set_clock(ctx, 250), "the time");
	expect(1, count_messages(ctx), "messages while it waits");
	expect(SPIN_MESSAGE_WAITING, seen[0].phase, "its phase");
	expect(77, seen[0].message_id, "its id");
	expect(4000, seen[0].src_port, "its port");
	expect(4, seen[0].ip_version, "its IP version");
	expect(htonl(0x0a000001), seen[0].src_addr[0], "its source");
	expect(2, seen[0].parked, "its parked packets");
	expect(150, seen[0].age_ms, "its age");
	expect(SPIN_MES_MAX, seen[0].me, "its entry");
	packet(ctx, 77, 0, 0, SPIN_REASON_SUCCESS);
	expect(0, spin_ctx__set_clock(ctx, 260), "the time");
	expect(1, count_messages(ctx), "messages while it is open");
	expect(SPIN_MESSAGE_OPEN, seen[0].phase, "its phase");
	expect(3, seen[0].packets, "packets handled");
	expect(4, seen[0].packets_total, "packets there are");
	expect(0, seen[0].parked, "parked packets left");
	expect(2, seen[0].lowest_missing, "the missing packet");
	expect(160, seen[0].age_ms, "its age");
	expect(10, seen[0].idle_ms, "since its last packet");
	expect(0, seen[0].me, "its entry");
	expect(0, spin_ctx__events(ctx, on_event, NULL), "events before it is complete");
	packet(ctx, 77, 2, 0, SPIN_REASON_SUCCESS);
	expect(0, count_messages(ctx), "messages when it is complete");
	expect(1, spin_ctx__events(ctx, on_event, NULL), "its event");
	expect(SPIN_EVENT_MESSAGE, last_event.type, "the event's type");
	expect(4 * STRIDE, last_event.length, "the event's length");
	expect(77, last_event.message_id, "the event's id");
	for (unsigned i = 0; i < 4 * STRIDE; i++)
		expect(i / STRIDE + 1, memory[i], "a byte in the host memory");
	expect(0, spin_ctx__me_get(ctx, 0, &me), "the entry");
	expect(1, (long long)me.messages, "messages in it");
	expect(0, spin_ctx__message_stats(ctx, &stats), "counts");
	expect(1, (long long)stats.opened, "messages opened");
	expect(1, (long long)stats.completed, "messages completed");
	expect(2, (long long)stats.replayed, "parked packets handled");
	spin_ctx__destroy(ctx);
}

static void time_goes_on_as_told(void)
{
	struct spin_ctx *ctx = create((struct spin_message_opts){ .virtual_clock = 1, .idle_ms = 50, .tombstone_ms = 70 });

	events = 0;
	packet(ctx, 1, 0, 0, SPIN_REASON_SUCCESS);
	packet(ctx, 2, 0, 1, SPIN_REASON_SUCCESS);
	expect(0, spin_ctx__set_clock(ctx, 50), "the time");
	expect(0, spin_ctx__progress(ctx), "progress");
	expect(1, count_messages(ctx), "a message that was idle for 50 ms");
	packet(ctx, 2, 0, 1, SPIN_REASON_DUPLICATE);
	expect(0, spin_ctx__set_clock(ctx, 51), "the time");
	expect(0, spin_ctx__progress(ctx), "progress");
	expect(0, count_messages(ctx), "a message that was idle for 51 ms");
	expect(2, spin_ctx__events(ctx, on_event, NULL), "events");
	expect(SPIN_EVENT_TIMEOUT, last_event.type, "the last event");
	expect(1, last_event.message_id, "its message");
	expect(-EINVAL, spin_ctx__set_clock(ctx, 50), "a clock that goes backwards");
	expect(0, spin_ctx__set_clock(ctx, 71), "the time");
	packet(ctx, 2, 0, 1, SPIN_REASON_SUCCESS);
	spin_ctx__destroy(ctx);
	ctx = create((struct spin_message_opts){ 0 });
	expect(-EINVAL, spin_ctx__set_clock(ctx, 1), "the kernel's clock");
	expect_error_text("virtual_clock");
	spin_ctx__destroy(ctx);
}

static void the_kernels_clock_gives_ages(void)
{
	struct spin_ctx *ctx = create((struct spin_message_opts){ 0 });

	packet(ctx, 1, 0, 0, SPIN_REASON_SUCCESS);
	usleep(100000);
	expect(1, count_messages(ctx), "messages");
	if (seen[0].age_ms < 60 || seen[0].age_ms > 60000 || seen[0].idle_ms != seen[0].age_ms) {
		printf("age %u ms, idle %u ms\n", seen[0].age_ms, seen[0].idle_ms);
		fail("an age that is not the time that went by");
	}
	spin_ctx__destroy(ctx);
}

/* Sends from v1, so that it arrives at v0. */
static void send_packet(unsigned id, unsigned number, int last)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex("v1"), .sll_halen = 6 };
	int fd = socket(AF_PACKET, SOCK_RAW, 0);
	static struct template t;

	make_packet(&t, id, number, last);
	if (fd < 0 || sendto(fd, t.frame, t.bytes, 0, (struct sockaddr *)&to, sizeof(to)) != (ssize_t)t.bytes)
		fail("sending a packet");
	close(fd);
}

static struct spin_event wait_for_event(struct spin_ctx *ctx)
{
	struct pollfd fd = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };
	unsigned before = events;

	for (unsigned i = 0; i < 300 && events == before; i++) {
		poll(&fd, 1, 100);
		if (spin_ctx__events(ctx, on_event, NULL) < 0)
			fail("events");
		if (spin_ctx__alive(ctx) != 1)
			fail("the context is not alive");
	}
	if (events == before)
		fail("no event came");
	return last_event;
}

static unsigned threads(void)
{
	char line[128];
	unsigned count = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "Threads: %u", &count);
	if (f)
		fclose(f);
	return count;
}

static void an_attached_context_times_messages_out_by_itself(void)
{
	const struct spin_ctx_opts opts = make_opts((struct spin_message_opts){ .idle_ms = 60 });
	struct spin_event event;
	struct spin_nic *nic;
	struct spin_ctx *ctx;

	expect(0, spin_nic__open("v0", &nic), "v0");
	expect(0, spin_ctx__create_opts(nic, object, &rule, &opts, &ctx), "a context");
	expect(1, threads(), "threads before it is attached");
	for (unsigned round = 0; round < 2; round++) {
		expect(0, spin_ctx__attach(ctx), "attaching");
		expect(2, threads(), "threads while it is attached");
		send_packet(5 + round, 0, 0);
		event = wait_for_event(ctx);
		expect(SPIN_EVENT_TIMEOUT, event.type, "the event of a message that does not go on");
		expect(5 + round, event.message_id, "its message");
		send_packet(15 + round, 1, 1);
		send_packet(15 + round, 0, 0);
		event = wait_for_event(ctx);
		expect(SPIN_EVENT_MESSAGE, event.type, "the event of a message that goes on");
		expect(0, spin_ctx__detach(ctx), "detaching");
		expect(1, threads(), "threads when it is detached");
	}
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
}

int main(void)
{
	char path[512];

	netns_new();
	if (built_object("msg_copy", path, sizeof(path)) || spin_object__open(path, &object) ||
	    built_object("returns", path, sizeof(path)) || spin_object__open(path, &datagrams) || spin_rule__parse("udp", &rule))
		fail("handlers");
	netns_shell("ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set v1 up");
	options_are_checked();
	entries_are_posted_and_unlinked();
	segments_are_checked();
	counters_are_read_and_set();
	datagrams_have_host_memory();
	a_message_is_seen_from_its_first_packet_to_its_last();
	time_goes_on_as_told();
	the_kernels_clock_gives_ages();
	an_attached_context_times_messages_out_by_itself();
	return 0;
}
