/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Attaches handlers that change shared memory on all HPUs (here CPUs) at once, sends them packets, and checks that no update is lost
 * (shared_updates.h). Used by tests in tests/live, by tests/stress and tests/bench/hpus.c.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/traffic/shared_updates.h"
#include "tests/common/net/lossy.h"
#include "tests/common/net/pair.h"

static __thread char text[512];

static const char *check_equal(const struct shared_updates *h, const char *what, uint64_t is, uint64_t expected)
{
	if (is == expected)
		return NULL;
	snprintf(text, sizeof(text), "%s, HPUs %s: %s is %llu, not %llu", h->name, spin_hpus_name(h->hpus), what, (unsigned long long)is,
		 (unsigned long long)expected);
	return text;
}

const char *shared_updates__open(struct shared_updates *h, struct spin_nic *nic, const char *handler, const char *rule, enum spin_hpus hpus,
				 uint32_t rounds)
{
	const struct spin_segment memory = { 0, 64 };
	struct spin_ctx_opts opts = {
		.bytes = sizeof(opts), .hpus = hpus, .hpu_count = h->hpu_count, .message = { .handler_mem = &memory, .handler_segments = 1 }
	};
	struct spin_object *object = NULL;
	struct spin_rule match;
	char path[512];
	size_t bytes;
	void *state;

	h->hpus = hpus;
	snprintf(h->name, sizeof(h->name), "%s", handler);
	if (built_object(handler, path, sizeof(path)))
		return engine_error();
	if (spin_object__open(path, &object) || spin_rule__parse(rule, &match)) {
		spin_object__close(object);
		return spin_strerror_last();
	}
	/* no test reads the events: without lose_events a context stops after about 10,000 messages */
	if (spin_object__meta(object)->registration.delivery == SPIN_DELIVER_ME) {
		opts.message.lose_events = 1;
		opts.message.tombstone_ms = LOSSY_TOMBSTONE_MS;
		opts.message.idle_ms =
			LOSSY_TOMBSTONE_MS; /* longer than senders wait: they restart an evicted message, and the test would count it twice */
	}
	if (spin_ctx__create_opts(nic, object, &match, &opts, &h->ctx) || spin_ctx__symbol(h->ctx, "spin_state", &state, &bytes)) {
		spin_object__close(object);
		return spin_strerror_last();
	}
	spin_object__close(object);
	h->state = state;
	h->state->rounds = rounds;
	return spin_ctx__attach(h->ctx) ? spin_strerror_last() : NULL;
}

void shared_updates__close(struct shared_updates *h)
{
	spin_ctx__destroy(h->ctx);
	h->ctx = NULL;
}

uint64_t shared_updates__runs(const struct shared_updates *h)
{
	uint64_t packets[SPIN_REASON_COUNT];
	struct spin_message_stats stats = { 0 };

	spin_ctx__counters(h->ctx, packets);
	spin_ctx__message_stats(h->ctx, &stats); /* the payload handler of parked packets ran later */
	return packets[SPIN_REASON_DROPPED] + stats.replayed;
}

/* Checks that the cells of the table add up to the number of runs. */
static const char *check_table(const struct shared_updates *h, const char *table, uint64_t runs)
{
	uint32_t *cell, sum = 0;
	size_t bytes;
	void *at;

	if (spin_ctx__symbol(h->ctx, table, &at, &bytes))
		return spin_strerror_last();
	cell = at;
	for (size_t i = 0; i < bytes / sizeof(*cell); i++)
		sum += cell[i];
	return check_equal(h, table, sum, runs);
}

const char *shared_updates__check(const struct shared_updates *h)
{
	const struct hammer_state *s = h->state;
	uint64_t packets[SPIN_REASON_COUNT], runs = shared_updates__runs(h);
	struct spin_ct ct = { 0 };
	const char *reason = NULL;
	uint32_t word;
	uint64_t word64;
	size_t bytes;
	void *host;

	if (spin_ctx__host_memory(h->ctx, &host, &bytes) || spin_ctx__me_ct(h->ctx, 0, &ct))
		return spin_strerror_last();
	spin_ctx__counters(h->ctx, packets);
	memcpy(&word, (char *)host + HAMMER_WORD_AT, sizeof(word));
	memcpy(&word64, (char *)host + HAMMER_LONG_AT, sizeof(word64));
	const struct {
		const char *what;
		uint64_t is, expected;
	} equal[] = {
		{ "added", s->added, runs },
		{ "fetched", s->fetched, runs },
		{ "what the lock guards", s->locked, runs },
		{ "the word in host memory", word, runs },
		{ "the 64 bits in host memory", word64, runs },
		{ "the entry's counter", ct.success, runs },
		{ "what is written alone", s->first, (runs + HAMMER_WRITES - 1) / HAMMER_WRITES },
		{ "the other one of it", s->second, s->first },
		{ "writes", s->writes, s->first },
		{ "reads of half a write", s->torn, 0 },
		{ "HPUs that there are not", s->foreign, 0 },
		{ "messages with a wrong scratchpad", s->wrong, 0 },
		{ "a lock", s->lock, 0 },
		{ "the rw lock", s->rw_lock, 0 },
		{ "overruns", packets[SPIN_REASON_OVERRUN], 0 },
		{ "failed accesses", packets[SPIN_REASON_SEGV], 0 },
	};

	for (unsigned i = 0; i < sizeof(equal) / sizeof(equal[0]) && !reason; i++)
		reason = check_equal(h, equal[i].what, equal[i].is, equal[i].expected);
	if (!reason)
		reason = check_table(h, "cells", runs);
	return reason ? reason : check_table(h, "mine", runs);
}

static void *stream(void *arg)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct hammering_stream *s = arg;
	char text[32] = "a datagram";

	to.sin_port = htons(s->to);
	inet_pton(AF_INET, FAR_ADDR, &to.sin_addr);
	while (!*s->stop) {
		for (unsigned i = 0; i < 16; i++)
			if (sendto(s->fd[i % s->sockets], text, sizeof(text), 0, (struct sockaddr *)&to, sizeof(to)) > 0)
				s->sent++;
		if (s->pause_us)
			usleep(s->pause_us);
	}
	for (unsigned i = 0; i < s->sockets; i++)
		close(s->fd[i]);
	return NULL;
}

const char *shared_updates__stream(struct hammering_stream *s)
{
	for (unsigned i = 0; i < s->sockets; i++) {
		struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)(s->from + i)) };

		s->fd[i] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		inet_pton(AF_INET, NEAR_ADDR, &a.sin_addr);
		if (s->fd[i] < 0 || bind(s->fd[i], (struct sockaddr *)&a, sizeof(a)))
			return "cannot open a socket";
	}
	return pthread_create(&s->thread, NULL, stream, s) ? "no thread" : NULL;
}
