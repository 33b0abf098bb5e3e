/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that no update of memory that HPUs share is lost. All HPUs (here CPUs that run handlers) concurrently update one counter, one
 * table, one lock, one reader-writer lock, one scratchpad, one word of host memory and one entry's counter. HPUs are receive queues with a
 * NAPI thread each, CPUs that get packets by cpumap, and threads that run packets of one message (PROG_TEST_RUN). Run by tests/run and,
 * longer, by `make stress`.
 *
 *	hpus_hammer_shared_memory [SECONDS]    (default: 3)
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/common/traffic/shared_updates.h"
#include "tests/common/net/lossy.h"
#include "tests/common/net/message_packet.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include <spin/slmp.h>
#include <spin/libspin_send.h>

#define STREAMS   3u
#define THREADS   4u
#define TIMEOUT_S (20 * slow_factor())
#define PACKETS   900u /* of a message, within its window */
#define PAYLOAD   64u
#define BLOB      (200u << 10) /* of a message: about 140 packets */

static volatile int stop;
static struct pair pair;

static void die(const char *what)
{
	printf("FAIL: %s\n", what);
	exit(1);
}

static void check(const char *reason)
{
	if (reason)
		die(reason);
}

static void *send_messages(void *unused)
{
	static uint8_t blob[BLOB];
	const struct spin_send_opts opts = { .bytes = sizeof(opts), .timeout_ms = LOSSY_TOMBSTONE_MS - 5000 };
	struct spin_send_report report;
	struct spin_sender *sender;
	uint64_t messages = 0;

	(void)unused;
	if (spin_sender__open(FAR_ADDR, NULL, &opts, &sender))
		return NULL;
	while (!stop && !spin_sender__send(sender, blob, sizeof(blob), NULL, &report))
		messages++;
	if (!stop) {
		printf("FAIL: message %llu is not sent: %s\n", (unsigned long long)messages, spin_strerror_last());
		messages = 0;
	}
	spin_sender__close(sender);
	return (void *)(uintptr_t)messages;
}

/* Waits until no packet is in flight and the counters stop changing. */
static void wait_until_idle(const struct shared_updates *a, const struct shared_updates *b)
{
	uint64_t before = UINT64_MAX, now;

	for (int still = 0; still < 3; before = now) {
		usleep(100000);
		now = shared_updates__runs(a) + shared_updates__runs(b);
		still = now == before ? still + 1 : 0;
	}
}

static void live(enum spin_hpus hpus, unsigned seconds)
{
	struct shared_updates datagrams = { 0 }, messages = { 0 };
	struct hammering_stream stream[STREAMS];
	struct spin_nic *nic;
	pthread_t sender;
	void *sent;

	netns_enter(pair.far_ns);
	if (spin_nic__open(FAR_DEV, &nic))
		die(spin_strerror_last());
	check(shared_updates__open(&datagrams, nic, "hammer", "udp dport 9000", hpus, 50));
	check(shared_updates__open(&messages, nic, "hammer_message", "udp dport 9330", hpus, 50));
	spin_nic__close(nic);
	netns_enter(pair.near_ns);
	stop = 0;
	for (unsigned i = 0; i < STREAMS; i++) {
		stream[i] = (struct hammering_stream){
			.from = (uint16_t)(6000 + 16 * i), .to = 9000, .sockets = 16, .stop = &stop, .pause_us = 20
		};
		check(shared_updates__stream(&stream[i]));
	}
	if (pthread_create(&sender, NULL, send_messages, NULL))
		die("no thread");
	sleep(seconds);
	stop = 1;
	for (unsigned i = 0; i < STREAMS; i++)
		pthread_join(stream[i].thread, NULL);
	pthread_join(sender, &sent);
	wait_until_idle(&datagrams, &messages);
	printf("HPUs %s: %llu datagrams, %u messages of %llu packets, %llu sent\n", spin_hpus_name(hpus),
	       (unsigned long long)shared_updates__runs(&datagrams), messages.state->messages,
	       (unsigned long long)shared_updates__runs(&messages), (unsigned long long)(uintptr_t)sent);
	check(shared_updates__check(&datagrams));
	check(shared_updates__check(&messages));
	if (!sent || messages.state->messages != (uintptr_t)sent || shared_updates__runs(&datagrams) < 1000)
		die("not all messages that were sent are complete, or hardly any datagram came");
	shared_updates__close(&datagrams);
	shared_updates__close(&messages);
}

struct runner {
	pthread_t thread;
	struct spin_nic *nic;
	unsigned cpu;
	struct message_packet packet;
	const char *reason;
};

static atomic_uint next, end; /* next packet; first message that is not sent */

/* Runs message after message. Each thread takes the next packet. Packets dropped by flow control are repeated, as a sender does. */
static void *run_packets(void *arg)
{
	struct runner *r = arg;
	struct spin_run_result result = { 0 };
	cpu_set_t set;
	uint8_t out[2048];

	CPU_ZERO(&set);
	CPU_SET(r->cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	while (!r->reason) {
		uint32_t n = next++, at = n % PACKETS, last = at == PACKETS - 1, none = UINT32_MAX;
		time_t start = time(NULL);

		if (stop && !at) /* only whole messages: the first thread that sees the stop sets the end */
			atomic_compare_exchange_strong(&end, &none, n / PACKETS);
		do {
			if (n / PACKETS >= end)
				return NULL;
			message_packet_head(&r->packet, SPIN_SLMP_SYN | (last ? SPIN_SLMP_EOM : 0), n / PACKETS, at * PAYLOAD);
			if (spin_nic__run(r->nic, r->packet.frame, r->packet.bytes, 1, out, sizeof(out), &result))
				r->reason = spin_strerror_last();
			else if (result.verdict == SPIN_VERDICT_DROP && time(NULL) - start > TIMEOUT_S)
				r->reason = "a packet is dropped again and again";
		} while (!r->reason && result.verdict == SPIN_VERDICT_DROP);
	}
	return NULL;
}

/* Uses more threads than CPUs, so that a thread may be preempted anywhere by another one. */
static void by_test_run(unsigned seconds)
{
	static struct runner runner[THREADS];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct shared_updates messages = { 0 };
	struct spin_nic *nic;

	if (spin_nic__open_offline(&nic))
		die(spin_strerror_last());
	check(shared_updates__open(&messages, nic, "hammer_message", "udp dport 9330", SPIN_HPUS_CPU, 50));
	stop = 0;
	next = 0;
	end = UINT32_MAX;
	for (unsigned i = 0; i < THREADS; i++) {
		runner[i].nic = nic;
		runner[i].cpu = (unsigned)(i % cpus);
		if (message_packet_make(&runner[i].packet, PAYLOAD)) /* one thread at a time */
			die(engine_error());
	}
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&runner[i].thread, NULL, run_packets, &runner[i]))
			die("no thread");
	sleep(seconds);
	stop = 1;
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(runner[i].thread, NULL);
		check(runner[i].reason);
	}
	if (spin_ctx__progress(messages.ctx))
		die(spin_strerror_last());
	printf("%u threads: %u messages, %llu packets\n", THREADS, messages.state->messages,
	       (unsigned long long)shared_updates__runs(&messages));
	check(shared_updates__check(&messages));
	if (messages.state->messages != end || !end)
		die("messages are not complete");
	shared_updates__close(&messages);
	spin_nic__close(nic);
}

int main(int argc, char **argv)
{
	unsigned seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 3;

	setvbuf(stdout, NULL, _IOLBF, 0);
	pair__open(&pair);
	for (enum spin_hpus hpus = SPIN_HPUS_CPU; hpus <= SPIN_HPUS_SPREAD; hpus++)
		if (hpus != SPIN_HPUS_CPU)
			live(hpus, (seconds + 2) / 3);
	by_test_run((seconds + 2) / 3);
	pair__close(&pair);
	return 0;
}
