/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests messages whose packets run on several CPUs at the same time. Threads run each packet more than once and in any order, and resend
 * what was dropped for want of room (flow control). The header handler must run once and first, each payload handler once, the completion
 * handler once and last. State and host memory must be those that the reference (a plain-C model, tests/reference) has after the same runs.
 * Run by tests/run.
 *
 *	many_cpus_one_message [--messages N] [--seed N]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/pinned.h"
#include "tests/common/random.h"
#include "tests/reference/traffic.h"
#include <spin/libspin_message.h>

#define THREADS    4
#define BATCH      64u /* messages in flight */
#define ROUNDS_MAX 20000

static struct setup {
	const char *name;
	unsigned messages, parking;
} setups[] = {
	{ "room for all", 256, 256 },
	{ "little room", BATCH, 5 },
	{ "fewer MPQs than messages", BATCH / 4, 40 },
};

struct shared {
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	struct traffic traffic;
	unsigned first; /* index of the batch's first message */
	unsigned order_count;
	struct {
		uint16_t message;
		uint8_t packet, sent;
	} order[2 * BATCH * TRAFFIC_PACKETS_MAX];
	atomic_uint next, left;
	atomic_ullong packets, again;
	_Atomic(const char *) reason;
};

/* Returns 1 if the packet was acknowledged, or the test has failed. */
static int send_one(struct shared *s, unsigned at)
{
	const struct step step = traffic_step(&s->traffic, s->first + s->order[at].message, s->order[at].packet);
	uint8_t frame[512], out[512];
	uint32_t bytes = step_frame(&step, frame);
	struct spin_run_result result;

	if (s->reason)
		return 1;
	if (spin_nic__run(s->nic, frame, bytes, 1, out, sizeof(out), &result)) {
		s->reason = "a packet cannot be run";
		return 1;
	}
	s->packets++;
	if (result.verdict == SPIN_VERDICT_PASS)
		s->reason = "a packet was passed to the host";
	s->again += result.verdict != SPIN_VERDICT_TX;
	return result.verdict != SPIN_VERDICT_DROP;
}

/* Each thread sends every fourth packet. Packets that flow control drops are sent again in the next round, as a sender does. */
static void *send_batch(void *arg)
{
	struct shared *s = arg;
	unsigned me = s->next++, unsent = 1;

	for (unsigned round = 0; unsent && !s->reason; round++) {
		unsent = 0;
		for (unsigned at = me; at < s->order_count; at += THREADS) {
			if (s->order[at].sent)
				continue;
			s->order[at].sent = (uint8_t)send_one(s, at);
			unsent += !s->order[at].sent;
		}
		if (round == ROUNDS_MAX)
			s->reason = "a packet was never acknowledged";
	}
	s->left--;
	return NULL;
}

static void shuffle(struct shared *s, uint64_t *random, unsigned together)
{
	s->order_count = 0;
	for (unsigned i = 0; i < BATCH && s->first + i < s->traffic.messages; i++) {
		unsigned packets = s->traffic.message[s->first + i].packets;

		for (unsigned p = 0; p < packets; p++) {
			for (unsigned copies = 1 + !random_below(random, 5); copies; copies--) {
				s->order[s->order_count].sent = 0;
				s->order[s->order_count].message = (uint16_t)i;
				s->order[s->order_count++].packet = (uint8_t)p;
			}
		}
	}
	for (unsigned i = 0; i < s->order_count; i++) {
		unsigned room = s->order_count - i < together ? s->order_count - i : together;
		unsigned with = i + random_below(random, room);
		__typeof__(s->order[0]) was = s->order[i];

		s->order[i] = s->order[with];
		s->order[with] = was;
	}
}

static void on_event(void *arg, const struct spin_event *event)
{
	traffic_event(arg, event);
}

static int drain(struct shared *s)
{
	int n;

	do {
		n = spin_ctx__events(s->ctx, on_event, &s->traffic);
	} while (n > 0);
	return n;
}

static int run_batch(struct shared *s)
{
	pthread_t thread[THREADS];

	s->next = 0;
	s->left = THREADS;
	for (int i = 0; i < THREADS; i++)
		pinned__start(&thread[i], (unsigned)i, send_batch, s);
	while (s->left)
		if (drain(s) < 0)
			s->reason = "events cannot be read";
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	/* if many threads parked packets at once, a sweep handles them, a few at a time */
	for (int i = 0; i < 20 && !s->reason; i++)
		if (spin_ctx__progress(s->ctx))
			s->reason = "no progress";
	return drain(s) < 0 || s->reason ? -1 : 0;
}

static int open_context(struct shared *s, const struct spin_message_opts *message)
{
	struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = *message };
	struct spin_object *object;
	struct spin_rule rule;
	char path[512];
	int err;

	if (built_object("msg_script", path, sizeof(path))) {
		printf("FAIL  %s\n", engine_error());
		return -1;
	}
	err = spin_object__open(path, &object);
	if (!err)
		err = spin_nic__open_offline(&s->nic);
	if (!err)
		err = spin_rule__parse("udp dport 9330", &rule);
	if (!err)
		err = spin_ctx__create_opts(s->nic, object, &rule, &opts, &s->ctx);
	if (!err)
		err = spin_ctx__attach(s->ctx);
	if (err)
		printf("FAIL  %s\n", spin_strerror_last());
	spin_object__close(object);
	return err;
}

/* Every packet must have one reason, and every message that was opened must have ended. */
static int counts_add_up(struct shared *s)
{
	uint64_t packets[SPIN_REASON_COUNT], all = 0, dropped = 0;
	struct spin_message_stats stats;

	spin_ctx__counters(s->ctx, packets);
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++) {
		all += packets[i];
		dropped += i >= SPIN_REASON_NO_ME ? packets[i] : 0;
		if (packets[i])
			printf(" %s %llu", spin_reason_name((enum spin_reason)i), (unsigned long long)packets[i]);
	}
	putchar('\n');
	if (all != s->packets || dropped != s->again) {
		printf("FAIL  %llu packets, of which %llu were dropped; counted are %llu and %llu\n", (unsigned long long)s->packets,
		       (unsigned long long)s->again, (unsigned long long)all, (unsigned long long)dropped);
		return 0;
	}
	/*
	 * The messages are complete, so parked packets that were lost are copies: one was parked while another HPU handled the other copy,
	 * and the message ended before its turn.
	 */
	if (spin_ctx__message_stats(s->ctx, &stats) || stats.events_lost || stats.evicted ||
	    stats.replayed + stats.replay_lost > packets[SPIN_REASON_PARKED] || stats.opened != s->traffic.messages ||
	    stats.completed != s->traffic.messages) {
		printf("FAIL  opened %llu, completed %llu, evicted %llu, replay_lost %llu, events_lost %llu of %u messages\n",
		       (unsigned long long)stats.opened, (unsigned long long)stats.completed, (unsigned long long)stats.evicted,
		       (unsigned long long)stats.replay_lost, (unsigned long long)stats.events_lost, s->traffic.messages);
		return 0;
	}
	return 1;
}

static int compare(struct shared *s)
{
	void *state, *host;
	size_t bytes;

	if (spin_ctx__symbol(s->ctx, "spin_state", &state, &bytes) || spin_ctx__host_memory(s->ctx, &host, &bytes)) {
		printf("FAIL  %s\n", spin_strerror_last());
		return 0;
	}
	return traffic_compare(&s->traffic, state, host, s->again > 0);
}

static int run_setup(const struct setup *setup, unsigned messages, uint64_t seed)
{
	const struct spin_message_opts opts = traffic_opts(setup->messages, setup->parking);
	static struct shared s;
	int ok;

	memset(&s, 0, sizeof(s));
	if (open_context(&s, &opts))
		return 1;
	traffic_start(&s.traffic, messages, seed, &opts);
	for (s.first = 0; s.first < messages && !s.reason; s.first += BATCH) {
		shuffle(&s, &seed, 600);
		run_batch(&s);
	}
	printf("%s: %u messages of %llu packets, %llu runs of handlers:", setup->name, messages, (unsigned long long)s.traffic.packets,
	       (unsigned long long)s.traffic.runs);
	if (s.reason)
		printf("\nFAIL  %s\n", (const char *)s.reason);
	ok = counts_add_up(&s) & traffic_complete(&s.traffic) & compare(&s) & !s.reason;
	spin_ctx__destroy(s.ctx);
	spin_nic__close(s.nic);
	traffic_stop(&s.traffic);
	return !ok;
}

int main(int argc, char **argv)
{
	unsigned messages = 12000;
	uint64_t seed = 1;
	int failed = 0;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--messages"))
			messages = (unsigned)strtoul(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[i + 1], NULL, 0);
	}
	if (geteuid()) {
		printf("skip: PROG_TEST_RUN needs root\n");
		return 77;
	}
	for (unsigned i = 0; i < sizeof(setups) / sizeof(setups[0]); i++)
		failed |= run_setup(&setups[i], messages, seed + i);
	return failed;
}
