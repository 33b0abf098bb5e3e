/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * `make stress`: messages and datagrams at the same time over a link that loses, duplicates and reorders frames, handled by CPUs that get
 * packets by cpumap; some handlers send packets. Other contexts are attached and detached on the same interface; owners of another one are
 * killed while packets arrive. In the end each message must have completed once, no shared update may be lost, all packets of handlers must
 * have been sent, and nothing may be left in the kernel.
 *	stress [SECONDS [FILE.json]]    (120)
 * STRESS_BREAK=1: subtracts 1 from a counter of the handlers before the check, which must then fail.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/net/echo_test.h"
#include "tests/common/built.h"
#include "tests/common/traffic/shared_updates.h"
#include "tests/common/net/leak_check.h"
#include "tests/common/net/lossy.h"
#include "tests/common/measure/measure.h"
#include "tests/common/net/netns.h"
#include "tests/common/interface_owners.h"
#include "tests/common/put_test.h"
#include "tests/common/random.h"
#include <spin/libspin_send.h>

#define SENDERS  3u
#define BLOB_MAX (64u << 10)
#define COMING   8u /* contexts */

static volatile int stop;
static struct lossy link_;
static atomic_ullong sent, given_up, changes;
static _Atomic(const char *) reason;

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
	const struct spin_send_opts opts = { .bytes = sizeof(opts), .timeout_ms = LOSSY_TOMBSTONE_MS - 5000 };

	netns_enter(link_.near_ns);
	if (spin_sender__open(FAR_ADDR, NULL, &opts, &sender)) {
		reason = "a sender cannot be opened";
		return NULL;
	}
	while (!stop && !reason) {
		if (spin_sender__send(sender, blob, 4 + 4 * random_below(&random, BLOB_MAX / 4 - 1), NULL, &report))
			given_up++;
		else
			sent++;
	}
	spin_sender__close(sender);
	return NULL;
}

/* Attaches and detaches contexts for other ports. */
static void *come_and_go(void *arg)
{
	struct spin_ctx *ctx[COMING] = { NULL };
	struct spin_object *object = NULL;
	struct spin_nic *nic = arg;
	struct spin_rule rule;
	char text[512];

	netns_enter(link_.far_ns);
	if (built_object("deliver", text, sizeof(text)) || spin_object__open(text, &object))
		reason = "no handlers that come and go";
	for (unsigned i = 0; i < COMING && !reason; i++) {
		snprintf(text, sizeof(text), "udp dport %u", 8000 + i);
		if (spin_rule__parse(text, &rule) || spin_ctx__create(nic, object, &rule, &ctx[i]))
			reason = "a context cannot be made";
	}
	while (!stop && !reason) {
		for (unsigned i = 0; i < COMING; i++)
			if (spin_ctx__attach(ctx[i]))
				reason = "a context cannot be attached";
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

struct stress {
	struct shared_updates datagrams, messages;
	struct hammering_stream stream;
	struct echo_test answering;
	struct put_test putting;
	struct owners owners;
	struct leak_check left;
	uint64_t runs[2], answers[2]; /* before the contexts are destroyed */
};

static uint64_t all_runs(const struct stress *s)
{
	return shared_updates__runs(&s->datagrams) + shared_updates__runs(&s->messages) + echo_test__runs(&s->answering, 0) +
	       echo_test__runs(&s->answering, 1) + put_test__runs(&s->putting);
}

/* Waits until nothing is in flight: counts no longer change. */
static void wait_until_idle(const struct stress *s)
{
	uint64_t before = UINT64_MAX, now;

	for (int still = 0; still < 5; before = now) {
		usleep(200000);
		now = all_runs(s);
		still = now == before ? still + 1 : 0;
	}
}

static const char *check(struct stress *s)
{
	const char *wrong = shared_updates__check(&s->datagrams);
	static char text[160];
	struct spin_message_stats stats;

	if (!wrong)
		wrong = shared_updates__check(&s->messages);
	if (!wrong)
		wrong = echo_test__check(&s->answering);
	if (!wrong)
		wrong = put_test__check(&s->putting);
	if (wrong)
		return wrong;
	if (spin_ctx__message_stats(s->messages.ctx, &stats))
		return spin_strerror_last();
	/* a message that was given up may be complete, if only its acknowledgements were lost */
	if (stats.completed < sent || stats.completed > sent + given_up || stats.completed != s->messages.state->messages) {
		snprintf(text, sizeof(text),
			 "%llu messages were acknowledged and %llu given up, but %llu completed and %u handlers ran for them",
			 (unsigned long long)sent, (unsigned long long)given_up, (unsigned long long)stats.completed,
			 s->messages.state->messages);
		return text;
	}
	return sent && s->runs[0] && changes && s->owners.datagrams && s->owners.message_packets
		       ? NULL
		       : "hardly anything happened: give it more time";
}

static int write_rows(const char *path, const struct stress *s)
{
	const struct echo_test *a = &s->answering;
	const struct {
		const char *name, *unit;
		uint64_t value;
	} row[] = {
		{ "datagrams", "runs", s->runs[0] },
		{ "messages", "messages", sent },
		{ "message_packets", "runs", s->runs[1] },
		{ "given_up", "messages", given_up },
		{ "forward.messages", "messages", a->messages },
		{ "forward.runs", "runs", s->answers[0] },
		{ "forward.came_back", "packets", a->came[ECHO_FORWARD] },
		{ "put.runs", "runs", s->answers[1] },
		{ "put.came_back", "packets", a->came[ECHO_PUT] },
		{ "reply.came_back", "packets", a->came[ECHO_REPLY] },
		{ "put_message.messages", "messages", s->putting.messages },
		{ "put_message.came", "messages", s->putting.small },
		{ "put_from_host.came", "messages", s->putting.large },
		{ "lost_frames", "frames", link_.there.counts.lost + link_.back.counts.lost },
		{ "attach_detach", "changes", changes },
		{ "kills", "processes", s->owners.kills },
		{ "killed.datagrams", "runs", s->owners.datagrams },
		{ "killed.message_packets", "runs", s->owners.message_packets },
	};
	static struct measure m;
	char name[64];

	measure_begin(&m, "stress");
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		snprintf(name, sizeof(name), "stress.%s", row[i].name);
		measure_add(&m, name, (double)row[i].value, row[i].unit);
	}
	measure_print(&m);
	return path && measure_write(&m, path) ? fail("the figures cannot be written") : 0;
}

/* Prints what a successful run has verified. */
static void print_checked(const struct stress *s, const unsigned *ids)
{
	printf("\nchecked, and found right:\n"
	       "  counters, tables, locks, scratchpads and words of host memory have all %llu runs, none twice\n"
	       "  each of %llu acknowledged messages was completed once (%llu given up)\n"
	       "  each of %llu packets that were to be forwarded was handled once; %llu came back, all as they had to be\n"
	       "  the counts of what left have each of %llu runs' two puts; %llu puts and %llu replies came, all as they had to be\n"
	       "  each of %llu messages had its put from host memory: %llu came, and the memory is the same; %llu small ones came\n"
	       "  %llu times a context came or went, %llu owners were killed with %llu runs behind them: their programs were gone\n"
	       "  %u maps, %u programs and %u links are gone; no pin, named network namespace or process is left\n",
	       (unsigned long long)(s->runs[0] + s->runs[1]), (unsigned long long)sent, (unsigned long long)given_up,
	       (unsigned long long)s->answers[0], (unsigned long long)s->answering.came[ECHO_FORWARD], (unsigned long long)s->answers[1],
	       (unsigned long long)s->answering.came[ECHO_PUT], (unsigned long long)s->answering.came[ECHO_REPLY],
	       (unsigned long long)s->putting.messages, (unsigned long long)s->putting.large, (unsigned long long)s->putting.small,
	       (unsigned long long)changes, (unsigned long long)s->owners.kills,
	       (unsigned long long)(s->owners.datagrams + s->owners.message_packets), ids[LEAK_MAP], ids[LEAK_PROGRAM], ids[LEAK_LINK]);
}

static const char *open_contexts(struct stress *s, struct spin_nic *nic)
{
	const char *wrong = shared_updates__open(&s->datagrams, nic, "hammer", "udp dport 9000", SPIN_HPUS_SPREAD, 100);

	if (!wrong)
		wrong = shared_updates__open(&s->messages, nic, "hammer_message", "udp dport 9330", SPIN_HPUS_SPREAD, 100);
	if (!wrong)
		wrong = echo_test__open(&s->answering, nic, SPIN_HPUS_SPREAD);
	return wrong ? wrong : put_test__open(&s->putting, nic, SPIN_HPUS_SPREAD, link_.near_ns);
}

static void run(struct stress *s, struct spin_nic *nic, unsigned seconds)
{
	const time_t end = time(NULL) + seconds;
	pthread_t sender[SENDERS], coming;
	const char *wrong;

	s->stream = (struct hammering_stream){ .from = 6000, .to = 9000, .sockets = 16, .stop = &stop, .pause_us = 500 };
	netns_enter(link_.near_ns);
	wrong = shared_updates__stream(&s->stream);
	if (!wrong)
		wrong = echo_test__start(&s->answering, link_.near_ns, &stop);
	if (!wrong)
		wrong = put_test__start(&s->putting, &stop);
	netns_enter(link_.far_ns);
	if (!wrong)
		wrong = owners__open(&s->owners, link_.far_ns);
	for (unsigned i = 0; i < SENDERS && !wrong; i++)
		if (pthread_create(&sender[i], NULL, send_messages, (void *)(uintptr_t)(i + 1)))
			wrong = "no thread";
	if (wrong || pthread_create(&coming, NULL, come_and_go, nic)) {
		fail(wrong ? wrong : "no thread");
		exit(1);
	}
	while (time(NULL) < end && !reason && !s->answering.reason && !s->putting.reason) {
		leak_check__note(&s->left, getpid());
		wrong = owners__kill_one(&s->owners, &s->left);
		if (wrong)
			reason = wrong;
	}
	stop = 1;
	pthread_join(s->stream.thread, NULL);
	echo_test__join(&s->answering);
	put_test__join(&s->putting);
	for (unsigned i = 0; i < SENDERS; i++)
		pthread_join(sender[i], NULL);
	pthread_join(coming, NULL);
	owners__close(&s->owners);
	wait_until_idle(s);
}

int main(int argc, char **argv)
{
	const struct lossy_rates rates = { .lose = 2, .twice = 2, .hold = 3, .reach = 40 };
	unsigned seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 120, ids[LEAK_KINDS];
	static struct stress s;
	struct spin_nic *nic;
	const char *wrong, *left;

	setvbuf(stdout, NULL, _IOLBF, 0);
	leak_check__begin(&s.left);
	lossy__open(&link_, rates, rates, 7);
	netns_enter(link_.far_ns);
	wrong = spin_nic__open(FAR_DEV, &nic) ? spin_strerror_last() : open_contexts(&s, nic);
	if (wrong)
		return fail(wrong);
	run(&s, nic, seconds);
	if (getenv("STRESS_BREAK"))
		s.datagrams.state->added--;
	for (unsigned i = 0; i < 2; i++) {
		s.runs[i] = shared_updates__runs(i ? &s.messages : &s.datagrams);
		s.answers[i] = echo_test__runs(&s.answering, (int)i);
	}
	wrong = reason ? reason : check(&s);
	shared_updates__close(&s.datagrams);
	shared_updates__close(&s.messages);
	echo_test__close(&s.answering);
	put_test__close(&s.putting);
	spin_nic__close(nic);
	if (!wrong && (leak_check__program(FAR_DEV) || leak_check__program(OWNERS_DEV)))
		wrong = "a program is left on an interface";
	lossy__print(&link_);
	lossy__close(&link_);
	memcpy(ids, s.left.ids, sizeof(ids));
	left = leak_check__end(&s.left);
	if (write_rows(argc > 2 ? argv[2] : NULL, &s))
		return 1;
	if (wrong || left)
		return fail(wrong ? wrong : left);
	print_checked(&s, ids);
	return 0;
}
