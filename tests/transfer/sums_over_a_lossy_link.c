/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the handlers reduce, which sums the messages of a set, and aggregate, which sums the integers of a message, with several concurrent
 * senders, over a link that loses, duplicates and reorders frames. The sums in host memory must equal those of a plain loop. The host must
 * get one event for each set, and one for each message. Run by tests/run.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/net/lossy.h"
#include "tests/common/net/netns.h"
#include "tests/common/random.h"
#include "tests/common/net/slow.h"
#include <spin/libspin_message.h>
#include <spin/libspin_send.h>

#define SENDERS  4u
#define EACH     8u /* messages per sender */
#define MESSAGES (SENDERS * EACH)
#define ITEMS    2048u  /* see reduce.c */
#define INTEGERS 20000u /* of a message to aggregate */
#define WAIT_MS  (10000 * slow_factor())

static const struct lossy_rates bad = { .lose = 5, .twice = 5, .hold = 25, .reach = 30 };

/* The state of reduce. */
struct reduce {
	uint32_t sum[ITEMS], complete, sets, messages, items;
};

static struct lossy link_;
static uint32_t data[MESSAGES][INTEGERS];
static uint32_t integers; /* of each message in the current case */
static int put;
static unsigned completed, other_events;

static void die(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	lossy__print(&link_);
	exit(1);
}

static void on_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	if (event->type == SPIN_EVENT_MESSAGE && !(event->flags & SPIN_EVENT_FAILED))
		completed++;
	else
		other_events++;
}

static struct spin_ctx *receiver(const char *handler)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message.put = 1 };
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	char path[512];

	netns_enter(link_.far_ns);
	if (built_object(handler, path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse("udp dport 9330", &rule) ||
	    spin_nic__open(FAR_DEV, &nic) || spin_ctx__create_opts(nic, object, &rule, &opts, &ctx) || spin_ctx__attach(ctx))
		die(handler);
	spin_nic__close(nic);
	spin_object__close(object);
	netns_enter(link_.near_ns);
	return ctx;
}

/* The sum of message k is word k of host memory. */
static void *send_some(void *arg)
{
	const struct spin_send_opts opts = { .bytes = sizeof(opts), .put = put };
	unsigned first = (unsigned)(uintptr_t)arg * EACH;
	struct spin_sender *s;

	if (spin_sender__open(FAR_ADDR, NULL, &opts, &s))
		die("a sender");
	for (unsigned k = first; k < first + EACH; k++) {
		const struct spin_send_put where = { .offset = k * sizeof(uint32_t) };

		if (spin_sender__send(s, data[k], integers * sizeof(uint32_t), put ? &where : NULL, NULL))
			die("a message");
	}
	spin_sender__close(s);
	return NULL;
}

static void send_all(struct spin_ctx *ctx, unsigned events)
{
	struct pollfd fd = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };
	pthread_t thread[SENDERS];

	completed = other_events = 0;
	for (uintptr_t i = 0; i < SENDERS; i++)
		if (pthread_create(&thread[i], NULL, send_some, (void *)i))
			die("no thread");
	for (unsigned i = 0; i < SENDERS; i++)
		pthread_join(thread[i], NULL);
	/* late copies may still arrive; they must change nothing */
	while (poll(&fd, 1, completed < events ? WAIT_MS : 300) > 0)
		if (spin_ctx__events(ctx, on_event, NULL) < 0)
			die("events");
	if (completed != events || other_events) {
		printf("%u messages reported, %u expected; %u other events\n", completed, events, other_events);
		die("the host is told of something else");
	}
}

static const uint32_t *host_memory(struct spin_ctx *ctx)
{
	size_t bytes;
	void *memory;

	if (spin_ctx__host_memory(ctx, &memory, &bytes))
		die("host memory");
	return memory;
}

static void reduce(void)
{
	struct spin_ctx *ctx = receiver("reduce");
	const uint32_t *result = host_memory(ctx);
	struct reduce *state;
	size_t bytes;

	if (spin_ctx__symbol(ctx, "spin_state", (void **)&state, &bytes) || bytes != sizeof(*state))
		die("the state of reduce");
	state->messages = MESSAGES;
	put = 0;
	integers = ITEMS;
	send_all(ctx, 1);
	for (unsigned i = 0; i < ITEMS; i++) {
		uint32_t sum = 0;

		for (unsigned k = 0; k < MESSAGES; k++)
			sum += data[k][i];
		if (result[i] != sum) {
			printf("element %u is %u instead of %u\n", i, result[i], sum);
			die("a sum over messages");
		}
	}
	if (result[ITEMS] != MESSAGES)
		die("of how many messages the result is");
	spin_ctx__destroy(ctx);
}

static void aggregate(void)
{
	struct spin_ctx *ctx = receiver("aggregate");
	const uint32_t *result = host_memory(ctx);

	put = 1;
	integers = INTEGERS;
	send_all(ctx, MESSAGES);
	for (unsigned k = 0; k < MESSAGES; k++) {
		uint32_t sum = 0;

		for (unsigned i = 0; i < INTEGERS; i++)
			sum += data[k][i];
		if (result[k] != sum) {
			printf("message %u has %u instead of %u\n", k, result[k], sum);
			die("the sum of a message");
		}
	}
	spin_ctx__destroy(ctx);
}

int main(void)
{
	uint64_t seed = 4;

	random_fill(&seed, data, sizeof(data));
	lossy__open(&link_, bad, bad, 7);
	reduce();
	aggregate();
	lossy__close(&link_);
	lossy__print(&link_);
	if (!link_.there.counts.lost || !link_.there.counts.doubled || !link_.there.counts.overtaken)
		die("the link is not as bad as it should be");
	return 0;
}
