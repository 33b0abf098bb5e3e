/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests flow control: there are more concurrent senders than a context may have messages in flight, few buffers for packets that arrive
 * before their message's first one (parked), and a bad link. Packets that flow control drops are retransmitted until every message has
 * arrived, exactly once. Run by tests/run.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/net/lossy.h"
#include "tests/common/net/netns.h"
#include "tests/common/random.h"
#include <spin/libspin_message.h>
#include <spin/libspin_send.h>

#define SENDERS 12u
#define EACH    12u
#define ALL     (SENDERS * EACH)

/* The state of msg_copy. */
struct copied {
	uint32_t headers, packets, bytes, completions, dropped_bytes, flow_control;
};

static struct lossy link_;
static uint8_t data[60000];
static atomic_uint failed;
static atomic_ullong packets_sent, bytes_sent, begun_again;
static unsigned messages, delayed;
static uint64_t dropped_bytes;

static void die(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	fflush(stdout);
	_Exit(1);
}

static void expect(uint64_t want, uint64_t got, const char *what)
{
	if (want == got)
		return;
	printf("%s: %" PRIu64 " instead of %" PRIu64 "\n", what, got, want);
	die(what);
}

static void *send_some(void *arg)
{
	const struct spin_send_opts opts = { .bytes = sizeof(opts), .timeout_ms = 30000 };
	uint64_t random = (uintptr_t)arg;
	struct spin_send_report report;
	struct spin_sender *s;

	netns_enter(link_.near_ns);
	if (spin_sender__open(FAR_ADDR, NULL, &opts, &s))
		die("a sender");
	for (unsigned i = 0; i < EACH; i++) {
		if (spin_sender__send(s, data, 1 + random_below(&random, sizeof(data)), NULL, &report)) {
			printf("%s\n", spin_strerror_last());
			failed++;
		}
		packets_sent += report.packets;
		bytes_sent += report.bytes;
		begun_again += report.begun_again;
	}
	spin_sender__close(s);
	return NULL;
}

static void on_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	if (event->type != SPIN_EVENT_MESSAGE)
		die("an event of another kind");
	messages++;
	delayed += !!(event->flags & SPIN_EVENT_FLOW_CONTROL);
	dropped_bytes += event->dropped_bytes;
}

static struct spin_ctx *receiver(struct spin_nic **nic)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = { .messages = 3, .parking = 4, .idle_ms = 20000 } };
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_ctx *ctx;
	char path[512];

	netns_enter(link_.far_ns);
	if (built_object("msg_copy", path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse("udp dport 9330", &rule) ||
	    spin_nic__open(FAR_DEV, nic) || spin_ctx__create_opts(*nic, object, &rule, &opts, &ctx) || spin_ctx__attach(ctx))
		die("the receiver");
	spin_object__close(object);
	return ctx;
}

static void check(struct spin_ctx *ctx)
{
	uint64_t packets[SPIN_REASON_COUNT];
	struct spin_message_stats stats;
	const struct copied *copied;
	size_t bytes;

	spin_ctx__counters(ctx, packets);
	for (int r = 0; r < SPIN_REASON_COUNT; r++)
		if (packets[r])
			printf("  %-16s %" PRIu64 "\n", spin_reason_name((enum spin_reason)r), packets[r]);
	printf("%u of %u messages saw flow control, %" PRIu64 " bytes dropped by it\n", delayed, messages, dropped_bytes);
	if (!packets[SPIN_REASON_NO_MPQ] || !packets[SPIN_REASON_NO_PARKING])
		die("there was room for all");
	expect(0, failed, "messages that were given up");
	expect(ALL, messages, "completions told");
	if (spin_ctx__symbol(ctx, "spin_state", (void **)&copied, &bytes) || spin_ctx__message_stats(ctx, &stats))
		die("state");
	/* a message that was quiet for long may be evicted for others, and its sender restarts it */
	if (begun_again > stats.evicted)
		expect(stats.evicted, begun_again, "messages begun again");
	if (copied->headers < ALL || copied->headers > ALL + stats.evicted)
		expect(ALL + stats.evicted, copied->headers, "runs of the header handler");
	if (!stats.evicted) {
		expect(packets_sent, copied->packets, "runs of the payload handler");
		expect(bytes_sent, copied->bytes, "bytes that payload handlers saw");
	}
	expect(ALL, copied->completions, "runs of the completion handler");
	expect(ALL, stats.completed, "messages completed");
	expect(delayed, copied->flow_control, "messages with flow control, as completion handlers were told");
	expect(dropped_bytes, copied->dropped_bytes, "bytes dropped, as completion handlers were told");
}

int main(void)
{
	const struct lossy_rates bad = { .lose = 3, .twice = 3, .hold = 20, .reach = 40 };
	pthread_t thread[SENDERS];
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	uint64_t seed = 3;

	lossy__open(&link_, bad, bad, 11);
	random_fill(&seed, data, sizeof(data));
	ctx = receiver(&nic);
	for (unsigned i = 0; i < SENDERS; i++)
		if (pthread_create(&thread[i], NULL, send_some, (void *)(uintptr_t)(i + 1)))
			die("a thread");
	for (unsigned i = 0; i < SENDERS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned i = 0; messages < ALL && i < 50; i++) {
		struct pollfd fd = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };

		poll(&fd, 1, 100);
		if (spin_ctx__events(ctx, on_event, NULL) < 0)
			die("events");
	}
	check(ctx);
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	lossy__close(&link_);
	return 0;
}
