/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests one flow on several CPUs: threads run its packets at the same time, as one message. A flow is the datagrams of a plain socket; its
 * match rule tells which is the last of a message. Each packet must be put into host memory at an offset of its own, or be dropped and
 * counted. The completion handler must run once, after the last packet. Packets that arrive concurrently with the last one belong to the
 * next message, or are dropped. Run by tests/run.
 *
 *	flows_on_many_cpus [--messages N]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/counts.h"
#include "tests/common/pinned.h"
#include "user/conformance/template/template.h"
#include <spin/libspin_message.h>

#define THREADS 4
#define PACKETS 60u /* per thread and message */
#define RECORD  8u  /* a packet's payload, which identifies it; 0xff in byte 3 marks the last packet */
#define RULE    "udp dport 9330 eom 11/0xff0000=0xff0000"

struct shared {
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	uint8_t frame[64];
	uint32_t frame_bytes;
	int ends; /* packet PACKETS / 2 of each thread is a last one */
	unsigned message;
	pthread_barrier_t begin;
	_Atomic(const char *) reason;
};

static unsigned events, timeouts;
static struct spin_event last_event;
static uint64_t deposited;

static void on_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	events += event->type == SPIN_EVENT_MESSAGE;
	timeouts += event->type != SPIN_EVENT_MESSAGE;
	deposited += event->deposited_bytes;
	last_event = *event;
}

/* Runs a packet. It has no UDP checksum, so its payload may be anything. */
static int run_packet(struct shared *s, unsigned thread, unsigned packet, int is_last)
{
	uint8_t frame[64], out[64];
	struct spin_run_result result;
	uint8_t *payload = frame + s->frame_bytes - RECORD;

	memcpy(frame, s->frame, s->frame_bytes);
	payload[0] = (uint8_t)(thread + 1);
	payload[1] = (uint8_t)packet;
	payload[2] = (uint8_t)s->message;
	payload[3] = is_last ? 0xff : 0;
	payload[4] = (uint8_t)(s->message >> 8);
	if (spin_nic__run(s->nic, frame, s->frame_bytes, 1, out, sizeof(out), &result))
		s->reason = "a packet cannot be run";
	else if (result.verdict != SPIN_VERDICT_DROP)
		s->reason = "a packet comes back, or goes on";
	return result.verdict;
}

static void *run_thread(void *arg)
{
	struct shared *s = ((void **)arg)[0];
	unsigned thread = (unsigned)(uintptr_t)((void **)arg)[1];

	pthread_barrier_wait(&s->begin);
	for (unsigned i = 0; i < PACKETS && !s->reason; i++)
		run_packet(s, thread, i, s->ends && i == PACKETS / 2);
	return NULL;
}

static const char *open_context(struct shared *s)
{
	struct spin_ctx_opts opts = { .bytes = sizeof(opts) };
	static struct template t;
	struct spin_object *object = NULL;
	struct spin_rule rule;
	char path[512];
	int err;

	template_start(&t);
	if (template_line(&t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 || template_line(&t, "ip4 10.0.0.1 > 10.0.0.2") != 1 ||
	    template_line(&t, "udp 4000 > 9330 sum none") != 1 || template_line(&t, "fill 8 0") != 1 || template_finish(&t))
		return engine_error();
	s->frame_bytes = t.bytes;
	memcpy(s->frame, t.frame, t.bytes);
	if (built_object("msg_default", path, sizeof(path)))
		return engine_error();
	err = spin_object__open(path, &object);
	if (!err)
		err = spin_nic__open_offline(&s->nic);
	if (!err)
		err = spin_rule__parse(RULE, &rule);
	if (!err)
		err = spin_ctx__create_opts(s->nic, object, &rule, &opts, &s->ctx);
	if (!err)
		err = spin_ctx__attach(s->ctx);
	if (object)
		spin_object__close(object);
	return err ? spin_strerror_last() : NULL;
}

static void run_round(struct shared *s)
{
	pthread_t thread[THREADS];
	void *args[THREADS][2];

	for (int i = 0; i < THREADS; i++) {
		args[i][0] = s;
		args[i][1] = (void *)(uintptr_t)i;
		pinned__start(&thread[i], (unsigned)i, run_thread, args[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

/* Checks that the message's bytes are the records of its packets, each once. */
static const char *check_memory(const struct shared *s, const uint8_t *memory, uint32_t bytes)
{
	uint8_t seen[THREADS][PACKETS] = { 0 };

	for (uint32_t at = 0; at < bytes; at += RECORD) {
		const uint8_t *r = memory + at;

		if (r[3] == 0xff && at + RECORD == bytes)
			continue;
		if (!r[0] || r[0] > THREADS || r[1] >= PACKETS || r[2] != (uint8_t)s->message || r[4] != (uint8_t)(s->message >> 8))
			return "a packet's place has what is not a packet of the message";
		if (seen[r[0] - 1][r[1]]++)
			return "a packet is there twice";
	}
	return NULL;
}

/* No other packet runs concurrently with the last one: only packets that arrived while the header handler ran are dropped. */
static const char *one_end(struct shared *s, unsigned messages)
{
	uint64_t before = 0, now;
	uint8_t *memory;
	size_t bytes;
	const char *reason;

	if (spin_ctx__host_memory(s->ctx, (void **)&memory, &bytes))
		return spin_strerror_last();
	for (s->message = 0; s->message < messages; s->message++) {
		events = 0;
		memset(memory, 0, 2 * THREADS * PACKETS * RECORD);
		run_round(s);
		run_packet(s, THREADS, 0, 1);
		while (spin_ctx__events(s->ctx, on_event, NULL) > 0)
			;
		now = counts_of(s->ctx, SPIN_REASON_PROCEEDED);
		if (events != 1 || timeouts)
			return "not one event of a message";
		if (last_event.length != (now - before) * RECORD || last_event.deposited_bytes != last_event.length)
			return "the message has not the length of its packets";
		reason = check_memory(s, memory, last_event.length);
		if (reason)
			return reason;
		before = now;
	}
	return s->reason;
}

/* All threads end messages: every message that begins must end, and each packet must be in one or be dropped. */
static const char *end_on_all_threads(struct shared *s, unsigned messages)
{
	struct spin_message_stats stats;
	uint64_t packets[SPIN_REASON_COUNT], all = 0, kept;

	s->ends = 1;
	events = 0;
	deposited = 0;
	kept = counts_of(s->ctx, SPIN_REASON_PROCEEDED);
	for (s->message = 0; s->message < messages; s->message++) {
		run_round(s);
		while (spin_ctx__events(s->ctx, on_event, NULL) > 0)
			;
	}
	run_packet(s, THREADS, 0, 1); /* ends the message that the last round began */
	while (spin_ctx__events(s->ctx, on_event, NULL) > 0)
		;
	spin_ctx__counters(s->ctx, packets);
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++) {
		all += packets[i];
		if (packets[i])
			printf(" %s %llu", spin_reason_name((enum spin_reason)i), (unsigned long long)packets[i]);
	}
	putchar('\n');
	if (spin_ctx__message_stats(s->ctx, &stats) || stats.opened != stats.completed || stats.evicted || timeouts || stats.events_lost)
		return "a message has no end";
	if (all != packets[SPIN_REASON_PROCEEDED] + packets[SPIN_REASON_NO_PARKING] + packets[SPIN_REASON_NO_MPQ])
		return "a packet has another reason";
	if (deposited != (packets[SPIN_REASON_PROCEEDED] - kept) * RECORD)
		return "messages have not the bytes of their packets";
	return s->reason;
}

int main(int argc, char **argv)
{
	unsigned messages = argc == 3 && !strcmp(argv[1], "--messages") ? (unsigned)strtoul(argv[2], NULL, 0) : 400;
	static struct shared s;
	const char *reason;

	if (geteuid()) {
		printf("skip: PROG_TEST_RUN needs root\n");
		return 77;
	}
	pthread_barrier_init(&s.begin, NULL, THREADS);
	reason = open_context(&s);
	if (!reason)
		reason = one_end(&s, messages);
	if (!reason)
		reason = end_on_all_threads(&s, messages);
	if (reason)
		printf("FAIL  message %u: %s\n", s.message, reason);
	if (s.ctx)
		spin_ctx__destroy(s.ctx);
	if (s.nic)
		spin_nic__close(s.nic);
	return !!reason;
}
