/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * `make stress`: messages and datagrams at the same time over a link that loses, doubles and reorders, handled by CPUs that
 * they are given to; other contexts come and go on the same interface; owners of another one are killed. In the
 * end each message was completed once, no update of what HPUs share is lost, and nothing is left in the kernel.
 *
 *	stress [SECONDS [FILE.json]]    (120)
 *
 * STRESS_BREAK=1: one update is taken back by hand, which is to be noticed.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <common/built.h>
#include <common/child.h>
#include <common/hammering.h>
#include <common/leftover.h>
#include <common/lossy.h>
#include <common/measure.h>
#include <common/netns.h>
#include <common/random.h>
#include <user/libspin/libspin_send.h>

#define SENDERS  3u
#define BLOB_MAX (64u << 10)
#define COMING   8u     /* contexts */
#define OWNER_DEV "own0"
#define OWNER_MS 400

static volatile int stop;
static struct lossy link_;
static atomic_ullong sent, given_up, changes, kills;
static _Atomic(const char *) why;

static int fail(const char *what)
{
	printf("FAIL: %s\n", what);
	return 1;
}

static void *send_messages(void *number)
{
	static uint8_t blob[BLOB_MAX];
	uint64_t random = (uintptr_t)number;
	struct spin_send_report report;
	struct spin_sender *sender;
	const struct spin_send_opts opts = { .bytes = sizeof(opts) };

	netns_enter(link_.near_ns);
	if (spin_sender__open(FAR_ADDR, NULL, &opts, &sender)) {
		why = "a sender cannot be opened";
		return NULL;
	}
	while (!stop && !why) {
		if (spin_sender__send(sender, blob, 4 + 4 * random_below(&random, BLOB_MAX / 4 - 1), NULL, &report))
			given_up++;
		else
			sent++;
	}
	spin_sender__close(sender);
	return NULL;
}

/* Contexts of other ports come to the interface and leave it. */
static void *come_and_go(void *arg)
{
	struct spin_ctx *ctx[COMING] = { NULL };
	struct spin_object *object = NULL;
	struct spin_nic *nic = arg;
	struct spin_rule rule;
	char text[512];

	netns_enter(link_.far_ns);
	if (built_object("empty", text, sizeof(text)) || spin_object__open(text, &object))
		why = "no handlers that come and go";
	for (unsigned i = 0; i < COMING && !why; i++) {
		snprintf(text, sizeof(text), "udp dport %u", 8000 + i);
		if (spin_rule__parse(text, &rule) || spin_ctx__create(nic, object, &rule, &ctx[i]))
			why = "a context cannot be made";
	}
	while (!stop && !why) {
		for (unsigned i = 0; i < COMING; i++)
			if (spin_ctx__attach(ctx[i]))
				why = "a context cannot be attached";
		for (unsigned i = 0; i < COMING; i++)
			spin_ctx__detach(ctx[i]);
		changes += 2 * COMING;
		usleep(20000);
	}
	for (unsigned i = 0; i < COMING; i++)
		spin_ctx__destroy(ctx[i]);
	spin_object__close(object);
	return NULL;
}

/* A process that has an interface, with both kinds of context, until it is killed. */
static int own(int ready)
{
	struct hammering datagrams = { 0 }, messages = { 0 };
	struct spin_nic *nic;

	if (spin_nic__open(OWNER_DEV, &nic) ||
	    hammering__open(&datagrams, nic, "hammer", "udp dport 9000", SPIN_HPUS_QUEUE, 0) ||
	    hammering__open(&messages, nic, "hammer_message", "udp dport 9330", SPIN_HPUS_SPREAD, 0) ||
	    write(ready, "r", 1) != 1)
		return 2;
	for (;;)
		pause();
}

static const char *kill_an_owner(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends))
		return "no pipe";
	pid = child__start(link_.far_ns, own, ends[1]);
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		return "an owner does not get its interface";
	close(ends[0]);
	usleep(OWNER_MS * 1000);
	child__kill(&pid);
	kills++;
	for (int try = 0; leftover__program(OWNER_DEV); try++) {
		if (try == 100)
			return "a killed owner's program is still there";
		usleep(20000);
	}
	return NULL;
}

/* Nothing is under way any more: counts stay. */
static void wait_until_still(const struct hammering *a, const struct hammering *b)
{
	uint64_t before = UINT64_MAX, now;

	for (int still = 0; still < 5; before = now) {
		usleep(200000);
		now = hammering__runs(a) + hammering__runs(b);
		still = now == before ? still + 1 : 0;
	}
}

static const char *check(const struct hammering *datagrams, const struct hammering *messages)
{
	const char *wrong = hammering__check(datagrams);
	static char text[160];
	struct spin_message_stats stats;

	if (!wrong)
		wrong = hammering__check(messages);
	if (wrong)
		return wrong;
	if (spin_ctx__message_stats(messages->ctx, &stats))
		return spin_strerror_last();
	/* one that was given up may have been completed, if only its acknowledgements were lost */
	if (stats.completed < sent || stats.completed > sent + given_up || stats.completed != messages->state->messages) {
		snprintf(text, sizeof(text), "%llu messages were acknowledged and %llu given up, but %llu completed and %u handlers ran for them",
			 (unsigned long long)sent, (unsigned long long)given_up, (unsigned long long)stats.completed,
			 messages->state->messages);
		return text;
	}
	return sent && hammering__runs(datagrams) && changes && kills ? NULL : "hardly anything happened: give it more time";
}

static int write_rows(const char *path, uint64_t datagrams, uint64_t packets)
{
	static struct measure m;

	measure_begin(&m, "stress");
	measure_add(&m, "stress.datagrams", (double)datagrams, "runs");
	measure_add(&m, "stress.messages", (double)sent, "messages");
	measure_add(&m, "stress.message_packets", (double)packets, "runs");
	measure_add(&m, "stress.given_up", (double)given_up, "messages");
	measure_add(&m, "stress.lost_frames", (double)(link_.there.counts.lost + link_.back.counts.lost), "frames");
	measure_add(&m, "stress.attach_detach", (double)changes, "changes");
	measure_add(&m, "stress.kills", (double)kills, "processes");
	measure_print(&m);
	return path && measure_write(&m, path) ? fail("the figures cannot be written") : 0;
}

int main(int argc, char **argv)
{
	const struct lossy_rates rates = { .lose = 2, .twice = 2, .hold = 3, .reach = 40 };
	unsigned seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 120;
	struct hammering datagrams = { 0 }, messages = { 0 };
	struct hammering_stream stream = { .from = 6000, .to = 9000, .sockets = 16, .stop = &stop, .pause_us = 500 };
	pthread_t sender[SENDERS], coming;
	struct spin_nic *nic;
	const char *wrong = NULL;
	uint64_t runs[2];
	time_t end;

	setvbuf(stdout, NULL, _IOLBF, 0);
	lossy__open(&link_, rates, rates, 7);
	netns_enter(link_.far_ns);
	netns_shell("ip link add " OWNER_DEV " numrxqueues 4 numtxqueues 4 type veth peer name own1 numrxqueues 4 numtxqueues 4 && "
		    "ip link set " OWNER_DEV " up && ip link set own1 up");
	if (spin_nic__open(FAR_DEV, &nic))
		return fail(spin_strerror_last());
	wrong = hammering__open(&datagrams, nic, "hammer", "udp dport 9000", SPIN_HPUS_SPREAD, 100);
	if (!wrong)
		wrong = hammering__open(&messages, nic, "hammer_message", "udp dport 9330", SPIN_HPUS_SPREAD, 100);
	if (wrong)
		return fail(wrong);
	netns_enter(link_.near_ns);
	wrong = hammering__stream(&stream);
	netns_enter(link_.far_ns);
	for (unsigned i = 0; i < SENDERS && !wrong; i++)
		if (pthread_create(&sender[i], NULL, send_messages, (void *)(uintptr_t)(i + 1)))
			wrong = "no thread";
	if (wrong || pthread_create(&coming, NULL, come_and_go, nic))
		return fail(wrong ? wrong : "no thread");
	for (end = time(NULL) + seconds; time(NULL) < end && !why && !wrong;)
		wrong = kill_an_owner();
	stop = 1;
	pthread_join(stream.thread, NULL);
	for (unsigned i = 0; i < SENDERS; i++)
		pthread_join(sender[i], NULL);
	pthread_join(coming, NULL);
	wait_until_still(&datagrams, &messages);
	if (getenv("STRESS_BREAK"))
		datagrams.state->added--;
	if (!wrong)
		wrong = why ? why : check(&datagrams, &messages);
	runs[0] = hammering__runs(&datagrams);
	runs[1] = hammering__runs(&messages);
	hammering__close(&datagrams);
	hammering__close(&messages);
	spin_nic__close(nic);
	if (!wrong && (leftover__program(FAR_DEV) || leftover__program(OWNER_DEV)))
		wrong = "a program is left on an interface";
	lossy__print(&link_);
	lossy__close(&link_);
	if (write_rows(argc > 2 ? argv[2] : NULL, runs[0], runs[1]))
		return 1;
	return wrong ? fail(wrong) : 0;
}
