/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends 256 MiB over a link that loses 5 % of the frames, duplicates 5 % and reorders a quarter of them, in both directions.
 * Every byte must be in the context's host memory, each packet must be handled once, and the message must complete once. The
 * same holds for hundreds of short messages, whose first packets are often late or lost. Run by tests/run.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/common/built.h"
#include "tests/common/net/lossy.h"
#include "tests/common/net/netns.h"
#include "tests/common/random.h"
#include "tests/common/net/slow.h"
#include <spin/libspin_message.h>
#include <spin/libspin_send.h>

#define BYTES          (256u << 20)
#define SHORT_MESSAGES 300u

static const struct lossy_rates bad = { .lose = 5, .twice = 5, .hold = 25, .reach = 60 };

/* The state of msg_copy. */
struct copied {
	uint32_t headers, packets, bytes, completions, dropped_bytes, flow_control;
};

static struct lossy link_;
static struct spin_ctx *failing_ctx; /* its counters are printed after a failure */
static struct spin_event last_message;
static unsigned messages, other_events;

static void print_counters(struct spin_ctx *ctx)
{
	uint64_t packets[SPIN_REASON_COUNT];

	spin_ctx__counters(ctx, packets);
	for (int r = 0; r < SPIN_REASON_COUNT; r++)
		if (packets[r])
			printf("  %-16s %" PRIu64 "\n", spin_reason_name((enum spin_reason)r), packets[r]);
}

static void die(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	lossy__print(&link_);
	if (failing_ctx)
		print_counters(failing_ctx);
	exit(1);
}

static void expect(uint64_t want, uint64_t got, const char *what)
{
	if (want == got)
		return;
	printf("%s: %" PRIu64 " instead of %" PRIu64 "\n", what, got, want);
	die(what);
}

static void on_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	if (event->type == SPIN_EVENT_MESSAGE) {
		last_message = *event;
		messages++;
	} else {
		printf("event of type %u, handler %u\n", event->type, event->handler);
		other_events++;
	}
}

static struct spin_ctx *receiver(const struct spin_object *object, struct spin_nic **nic)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message.host_bytes = BYTES };
	struct spin_rule rule;
	struct spin_ctx *ctx;

	netns_enter(link_.far_ns);
	if (spin_rule__parse("udp dport 9330", &rule) || spin_nic__open(FAR_DEV, nic) || spin_nic__set_mode(*nic, SPIN_MODE_NATIVE) ||
	    spin_ctx__create_opts(*nic, object, &rule, &opts, &ctx) || spin_ctx__attach(ctx))
		die("the receiver");
	failing_ctx = ctx;
	return ctx;
}

static void send_message(const char *address, const uint8_t *data, struct spin_send_report *report)
{
	const struct spin_send_opts opts = { .bytes = sizeof(opts), .window = 128 };
	struct spin_sender *s;

	netns_enter(link_.near_ns);
	if (spin_sender__open(address, NULL, &opts, &s) || spin_sender__send(s, data, BYTES, NULL, report))
		die("the sender");
	spin_sender__close(s);
}

/* Late copies of packets may still be in flight. They must change nothing. */
static void wait_for_events(struct spin_ctx *ctx)
{
	struct pollfd fd = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };

	while (poll(&fd, 1, messages ? 300 : 5000 * slow_factor()) > 0)
		if (spin_ctx__events(ctx, on_event, NULL) < 0)
			die("events");
}

/* msg_copy counts its handler runs. */
static void check_runs(struct spin_ctx *ctx, const struct spin_send_report *report)
{
	const struct copied *copied;
	size_t bytes;

	if (spin_ctx__symbol(ctx, "spin_state", (void **)&copied, &bytes))
		die("state");
	if (bytes != sizeof(*copied))
		return;
	expect(1, copied->headers, "runs of the header handler");
	expect(report->packets, copied->packets, "runs of the payload handler");
	expect(BYTES, copied->bytes, "bytes that payload handlers saw");
	expect(1, copied->completions, "runs of the completion handler");
}

static void check(struct spin_ctx *ctx, const uint8_t *data, const struct spin_send_report *report)
{
	struct spin_message_stats stats;
	size_t bytes;
	void *memory;

	expect(1, messages, "completions told");
	expect(0, other_events, "events of another kind");
	expect(BYTES, last_message.length, "length of the message");
	expect(report->message_id, last_message.message_id, "its id");
	if (spin_ctx__host_memory(ctx, &memory, &bytes))
		die("host memory");
	expect(BYTES, bytes, "host memory");
	for (size_t i = 0; i < BYTES; i += 4096)
		if (memcmp((uint8_t *)memory + i, data + i, 4096)) {
			printf("within 4,096 bytes from %zu on\n", i);
			die("what arrived is not what was sent");
		}
	if (spin_ctx__message_stats(ctx, &stats))
		die("statistics");
	expect(1, stats.opened, "messages opened");
	expect(1, stats.completed, "messages completed");
	expect(0, stats.evicted, "messages evicted");
	check_runs(ctx, report);
}

static void print(struct spin_ctx *ctx, const char *address, const struct spin_send_report *report)
{
	printf("%s: %" PRIu64 " packets, %" PRIu64 " sent again, in %.2f s; round trip %" PRIu64 " us\n", address, report->packets,
	       report->resent, (double)report->elapsed_us * 1e-6, report->round_trip_us);
	print_counters(ctx);
}

static void transfer(const struct spin_object *object, const char *address, const uint8_t *data)
{
	struct spin_send_report report;
	struct spin_nic *nic;
	struct spin_ctx *ctx = receiver(object, &nic);

	messages = other_events = 0;
	send_message(address, data, &report);
	wait_for_events(ctx);
	print(ctx, address, &report);
	check(ctx, data, &report);
	/* every lost packet was retransmitted at least once */
	if (report.resent < report.packets / 20)
		die("the link has lost nothing");
	failing_ctx = NULL;
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
}

static void check_link(const struct lossy_counts *c, const char *way)
{
	if (c->lost < c->frames * 45 / 1000 || c->doubled < c->frames * 40 / 1000 || c->overtaken < c->frames * 20 / 100)
		die(way);
}

/* Waits for the message's event, however long its last packet takes. */
static void wait_for_message(struct spin_ctx *ctx)
{
	struct pollfd fd = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };
	unsigned before = messages;

	while (messages == before) {
		if (poll(&fd, 1, 5000 * slow_factor()) <= 0)
			die("a message was acknowledged, and nobody is told");
		if (spin_ctx__events(ctx, on_event, NULL) < 0)
			die("events");
	}
}

static void short_messages(const struct spin_object *object, const uint8_t *data)
{
	const struct spin_send_opts opts = { .bytes = sizeof(opts) };
	struct spin_send_report report;
	uint64_t packets[SPIN_REASON_COUNT], random = 9;
	const struct copied *copied;
	struct spin_sender *s;
	struct spin_nic *nic;
	struct spin_ctx *ctx = receiver(object, &nic);
	size_t bytes;
	void *memory;

	messages = other_events = 0;
	netns_enter(link_.near_ns);
	if (spin_ctx__host_memory(ctx, &memory, &bytes) || spin_sender__open(FAR_ADDR, NULL, &opts, &s))
		die("the sender");
	for (unsigned i = 0; i < SHORT_MESSAGES; i++) {
		uint32_t length = random_below(&random, i & 1 ? 5000 : 200000), from = random_below(&random, BYTES - 200000);

		if (spin_sender__send(s, data + from, length, NULL, &report))
			die("a short message");
		wait_for_message(ctx);
		expect(report.message_id, last_message.message_id, "its id");
		expect(length, last_message.length, "its length");
		if (memcmp(memory, data + from, length))
			die("a short message has not arrived as it was sent");
	}
	wait_for_events(ctx);
	expect(SHORT_MESSAGES, messages, "completions told of short messages");
	expect(0, other_events, "events of another kind");
	if (spin_ctx__symbol(ctx, "spin_state", (void **)&copied, &bytes))
		die("state");
	expect(SHORT_MESSAGES, copied->headers, "runs of the header handler");
	expect(SHORT_MESSAGES, copied->completions, "runs of the completion handler");
	printf("%u short messages:\n", SHORT_MESSAGES);
	print_counters(ctx);
	spin_ctx__counters(ctx, packets);
	if (!packets[SPIN_REASON_PARKED])
		die("no first packet was late");
	failing_ctx = NULL;
	spin_sender__close(s);
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
}

int main(void)
{
	uint8_t *data = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct spin_object *copy_to_host = built_open("copy_to_host"), *msg_copy = built_open("msg_copy");
	uint64_t seed = 256;

	lossy__open(&link_, bad, bad, 5);
	if (data == MAP_FAILED)
		die("no memory");
	random_fill(&seed, data, BYTES);
	transfer(copy_to_host, FAR_ADDR, data);
	transfer(msg_copy, FAR_ADDR6, data);
	short_messages(msg_copy, data);
	lossy__close(&link_);
	lossy__print(&link_);
	check_link(&link_.there.counts, "the link is not as bad as it should be");
	check_link(&link_.back.counts, "the link is not as bad as it should be, on the way back");
	spin_object__close(copy_to_host);
	spin_object__close(msg_copy);
	return 0;
}
