/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that a flood leaves room for others: floods a receiver of messages with forged packets (first, middle and duplicate ones, of one or
 * of many sources), slowly or at full speed, while a sender sends messages. All messages must arrive, with at most twice the packets that
 * an idle link takes. Run by tests/run.
 */
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/traffic/flood.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/random.h"
#include <spin/libspin_message.h>
#include <spin/libspin_send.h>

#define MESSAGES 100u
#define BYTES    200000u
#define TRIES    4u /* a failed message is sent again, as applications do */

static const struct row {
	const char *name;
	enum flood_kind kind;
	unsigned sources; /* see struct flood; 0: no flood */
	unsigned per_second;
	int once; /* 1: the receiver has one use-once entry at a time */
} rows[] = {
	{ "nobody", FLOOD_FIRST, 0, 0, 0 },
	{ "nobody, one entry", FLOOD_FIRST, 0, 0, 1 },
	{ "one message that trickles on into the only entry", FLOOD_TRICKLE, 1, 2, 1 },
	{ "444 first packets a second", FLOOD_FIRST, 100000, 444, 0 },
	{ "first packets", FLOOD_FIRST, 1u << 24, 0, 0 },
	{ "middle packets", FLOOD_MIDDLE, 1u << 24, 0, 0 },
	{ "duplicates", FLOOD_DUPLICATE, 1, 0, 0 },
	{ "first packets of one source", FLOOD_FIRST, 1, 0, 0 },
	{ "middle packets of one source", FLOOD_MIDDLE, 1, 0, 0 },
};

static struct pair pair;
static uint8_t data[BYTES];
static struct spin_ctx *ctx;
static atomic_int stop, arrived, posted;

static void die(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	fflush(stdout);
	_Exit(1);
}

static void post(void)
{
	const struct spin_me_opts once = { .bytes = sizeof(once), .ignore_bits = ~0ull, .options = SPIN_ME_USE_ONCE };
	unsigned me;

	if (spin_ctx__me_append(ctx, &once, &me))
		die("an entry");
	posted++;
}

static void on_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	if (event->type == SPIN_EVENT_MESSAGE && event->length == BYTES)
		arrived++;
	if (event->flags & SPIN_EVENT_UNLINKED)
		*(int *)arg = 1;
}

static void *read_events(void *arg)
{
	struct pollfd fd = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };

	while (!stop) {
		int unlinked = 0;

		poll(&fd, 1, 20);
		if (spin_ctx__events(ctx, on_event, &unlinked) < 0)
			die("events");
		if (unlinked)
			post();
	}
	return arg;
}

static struct spin_nic *receiver(int once)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = { .no_entry = once } };
	struct spin_object *object;
	struct spin_nic *nic;
	struct spin_rule rule;
	char path[512];

	netns_enter(pair.far_ns);
	if (built_object("msg_default", path, sizeof(path)) || spin_object__open(path, &object) ||
	    spin_rule__parse("udp dport 9330", &rule) || spin_nic__open(FAR_DEV, &nic) ||
	    spin_ctx__create_opts(nic, object, &rule, &opts, &ctx) || spin_ctx__attach(ctx))
		die("the receiver");
	spin_object__close(object);
	if (once)
		post();
	return nic;
}

/* Returns the number of datagrams needed to deliver all messages. */
static uint64_t send_all(unsigned *given_up)
{
	struct spin_send_report report;
	struct spin_sender *s;
	uint64_t sent = 0;

	netns_enter(pair.near_ns);
	if (spin_sender__open(FAR_ADDR, NULL, NULL, &s))
		die("a sender");
	for (unsigned i = 0; i < MESSAGES; i++) {
		for (unsigned tries = 1;; tries++) {
			int err = spin_sender__send(s, data, BYTES, NULL, &report);

			sent += report.sent;
			if (!err)
				break;
			++*given_up;
			if (tries == TRIES)
				die("a message does not get through");
		}
	}
	spin_sender__close(s);
	return sent;
}

/* Returns 1 if the flood has begun and its initial burst has arrived. */
static _Bool has_begun(const struct row *row, const struct flood_thread *thread)
{
	return flood__sent(thread) >= (row->kind == FLOOD_TRICKLE ? 1 : row->per_second ? SPIN_MPQS : 64);
}

/* Runs one row and returns the number of datagrams needed. */
static uint64_t run(const struct row *row)
{
	const struct flood flood = { .kind = row->kind,
				     .sources = row->sources,
				     .per_second = row->per_second,
				     .burst = row->kind == FLOOD_TRICKLE ? 0 : SPIN_MPQS,
				     .to = FAR_ADDR,
				     .device = NEAR_DEV,
				     .netns = pair.near_ns,
				     .cpu = -1 };
	struct flood_thread *attacker = NULL;
	uint64_t sent, flooded = 0, reasons[SPIN_REASON_COUNT];
	struct spin_message_stats stats;
	unsigned given_up = 0;
	struct spin_nic *nic;
	pthread_t reader;

	stop = arrived = posted = 0;
	nic = receiver(row->once);
	if (pthread_create(&reader, NULL, read_events, NULL))
		die("a thread");
	if (row->sources) {
		attacker = flood__start(&flood);
		while (!has_begun(row, attacker))
			usleep(1000);
	}
	sent = send_all(&given_up);
	for (unsigned i = 0; i < 500 && (unsigned)arrived < MESSAGES; i++)
		usleep(10000);
	stop = 1;
	pthread_join(reader, NULL);
	if (attacker)
		flooded = flood__stop(attacker);
	if (spin_ctx__message_stats(ctx, &stats))
		die("counts");
	spin_ctx__counters(ctx, reasons);
	printf("%-50s %9" PRIu64 " packets against %4" PRIu64 ", %u given up, %d arrived; %" PRIu64 " of %" PRIu64
	       " messages evicted for others\n",
	       row->name, flooded, sent, given_up, (int)arrived, stats.pressed, stats.opened);
	fflush(stdout);
	if ((unsigned)arrived < MESSAGES)
		die("an acknowledged message was not told of");
	/* no packet contradicts its message unless two messages share an MPQ */
	if (reasons[SPIN_REASON_MALFORMED] || stats.completed + stats.evicted > stats.opened)
		die("messages were mixed up");
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	return sent;
}

int main(void)
{
	uint64_t seed = 1, idle[2], sent;

	random_fill(&seed, data, sizeof(data));
	pair__open(&pair);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sent = run(&rows[i]);
		if (!rows[i].sources)
			idle[rows[i].once] = sent;
		else if (sent > 2 * idle[rows[i].once])
			die("more than twice the packets that it takes without a flood");
	}
	return 0;
}
