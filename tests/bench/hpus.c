/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Measures the gain from a second HPU (here a CPU that runs handlers), by the length of the handlers. Run by bench.sh (`make bench`).
 * Figures that compare two HPUs with one; alternating runs, medians:
 *
 * hpus.two_vs_one.LENGTH        packets per second, wall-clock, of two busy HPUs. A thread on each of two CPUs passes packets to the
 * context as fast as it accepts them (PROG_TEST_RUN), with real-time priority, so that nothing else runs there
 * hpus.two_vs_one.shared        same for a handler that spends much of its time on data that it shares with the other HPU
 * hpus.live.WAY.LENGTH          packets per second of a live interface, where the sender shares the two CPUs
 * hpus.live.WAY.per_cpu.LENGTH  from the same runs, packets per second of CPU time of the HPUs' kernel threads: 1 means that each
 * of two handles as many as one alone
 *
 * WAY is queue (packets are distributed by flow) or spread (packets are distributed to CPUs).
 */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/common/traffic/shared_updates.h"
#include "tests/common/net/kernel_threads.h"
#include "tests/common/measure/measure.h"
#include "tests/common/net/message_packet.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/proc.h"

#define ROUNDS      9     /* packets passed by PROG_TEST_RUN */
#define BEFORE_US   30000 /* time until the threads are certainly running */
#define WINDOW_US   50000
#define AFTER_US    30000 /* the threads run longer than the measured time */
#define REST_US     20000 /* pause for other processes of the machine */
#define LIVE_ROUNDS 5
#define LIVE_US     250000
#define TARGET      1.6 /* for handlers longer than 1 us */
#define SHARED_US   5.0

static struct measure m;
static struct pair pair;
static volatile int stop;

/* --- packets passed by PROG_TEST_RUN --- */

struct feeder {
	pthread_t thread;
	struct spin_nic *nic;
	int cpu;
	unsigned packets;
	struct message_packet packet;
	struct spin_run_result result;
	int err;
};

static void *feed_packets(void *arg)
{
	struct feeder *g = arg;
	uint8_t out[2048];

	proc_pin(0, g->cpu, 1);
	g->err = spin_nic__run(g->nic, g->packet.frame, g->packet.bytes, g->packets, out, sizeof(out), &g->result);
	return NULL;
}

/* The counting thread has a higher priority than the giving threads, and those a higher one than other processes. */
static void set_realtime(int on)
{
	const struct sched_param param = { .sched_priority = on ? 2 : 0 };

	sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param); /* if it fails, the figures depend on what else runs */
}

/* Returns the microseconds per packet, one packet after the other, on CPU 0. */
static double length_us(struct shared_updates *h, struct spin_nic *nic, uint32_t rounds)
{
	struct feeder g = { .nic = nic, .packets = 4000 };
	double us[5];

	h->state->rounds = rounds;
	if (message_packet_make(&g.packet, 64))
		die("%s", engine_error());
	for (unsigned i = 0; i < 5; i++) {
		if (pthread_create(&g.thread, NULL, feed_packets, &g))
			die("no thread");
		pthread_join(g.thread, NULL);
		if (g.err)
			die("packets cannot be run");
		us[i] = g.result.ns_per_packet / 1000.0;
	}
	return measure_median(us, 5);
}

/* Returns the rounds for a handler of this length. */
static uint32_t rounds_for(struct shared_updates *h, struct spin_nic *nic, double us)
{
	const double none = length_us(h, nic, 0), many = length_us(h, nic, 10000);
	const double rounds = (us - none) / (many - none) * 10000;

	return rounds > 0 ? (uint32_t)rounds : 0;
}

/* Returns the packets per second of CPUs [first, first + count), all running at the same time. */
static double test_run_rate(struct shared_updates *h, struct spin_nic *nic, double us, int first, int count)
{
	static struct feeder g[2];
	uint64_t start, runs;

	for (int i = 0; i < count; i++) {
		g[i] = (struct feeder){ .nic = nic, .cpu = first + i, .packets = (unsigned)((BEFORE_US + WINDOW_US + AFTER_US) / us) };
		if (message_packet_make(&g[i].packet, 64))
			die("%s", engine_error());
	}
	for (int i = 0; i < count; i++)
		if (pthread_create(&g[i].thread, NULL, feed_packets, &g[i]))
			die("no thread");
	usleep(BEFORE_US);
	runs = shared_updates__runs(h);
	start = now_ns();
	usleep(WINDOW_US);
	runs = shared_updates__runs(h) - runs;
	start = now_ns() - start;
	for (int i = 0; i < count; i++) {
		pthread_join(g[i].thread, NULL);
		if (g[i].err || g[i].result.verdict != SPIN_VERDICT_DROP)
			die("packets are not handled");
	}
	usleep(REST_US);
	return (double)runs * 1e9 / (double)start;
}

static void measure_test_run(const char *name, const char *handler, double us, double target)
{
	double ratio[ROUNDS], one[ROUNDS], two[ROUNDS];
	struct shared_updates h = { 0 };
	struct measure_row *row;
	struct spin_nic *nic;
	const char *reason;

	reason = spin_nic__open_offline(&nic) ? spin_strerror_last()
					      : shared_updates__open(&h, nic, handler, "udp dport 9330", SPIN_HPUS_CPU, 0);
	if (reason)
		die("%s", reason);
	set_realtime(1);
	h.state->rounds = rounds_for(&h, nic, us);
	us = length_us(&h, nic, h.state->rounds);
	for (int i = 0; i < ROUNDS; i++) {
		one[i] = test_run_rate(&h, nic, us, i & 1, 1); /* the CPUs alternate as the single one */
		two[i] = test_run_rate(&h, nic, us, 0, 2);
		ratio[i] = two[i] / one[i];
	}
	set_realtime(0);
	shared_updates__close(&h);
	spin_nic__close(nic);
	row = measure_add(&m, name, measure_median(two, ROUNDS), "packets/s");
	measure_baseline(row, measure_median(one, ROUNDS));
	row->ratio = measure_median(ratio, ROUNDS);
	if (target > 0)
		measure_goal(row, MEASURE_AT_LEAST, target, row->ratio);
}

/* --- live --- */

struct rates {
	double per_second, per_cpu;
};

/* `sockets`: 1 flow arrives on one queue, 16 flows arrive on all. */
static struct rates live_rate(struct shared_updates *h, unsigned sockets)
{
	const char *threads = h->hpus == SPIN_HPUS_QUEUE ? "napi/" FAR_DEV "-" : "cpumap/";
	struct hammering_stream s = { .from = 6000, .to = 9000, .sockets = sockets, .stop = &stop };
	uint64_t runs, start, busy;

	stop = 0;
	netns_enter(pair.near_ns);
	if (shared_updates__stream(&s))
		die("nothing can be sent");
	usleep(50000);
	runs = shared_updates__runs(h);
	busy = kernel_threads__cpu_ns(threads);
	start = now_ns();
	usleep(LIVE_US);
	runs = shared_updates__runs(h) - runs;
	busy = kernel_threads__cpu_ns(threads) - busy;
	start = now_ns() - start;
	stop = 1;
	pthread_join(s.thread, NULL);
	usleep(20000);
	return (struct rates){ (double)runs * 1e9 / (double)start, busy ? (double)runs * 1e9 / (double)busy : NAN };
}

static struct rates live_once(enum spin_hpus hpus, uint32_t rounds, unsigned count)
{
	struct shared_updates h = { .hpu_count = hpus == SPIN_HPUS_SPREAD ? count : 0 };
	struct spin_nic *nic;
	struct rates rates;
	const char *reason;

	netns_enter(pair.far_ns);
	reason = spin_nic__open(FAR_DEV, &nic) ? spin_strerror_last()
					       : shared_updates__open(&h, nic, "busy", "udp dport 9000", hpus, rounds);
	if (reason)
		die("%s", reason);
	rates = live_rate(&h, hpus == SPIN_HPUS_QUEUE && count == 1 ? 1 : 16);
	shared_updates__close(&h);
	spin_nic__close(nic);
	return rates;
}

static void add_live(enum spin_hpus hpus, double us, const char *what, const char *unit, double *one, double *two, double *ratio)
{
	struct measure_row *row;
	char name[64];

	if (isnan(ratio[0]))
		return; /* kernel threads are not visible here */
	snprintf(name, sizeof(name), "hpus.live.%s.%s%.1f_us", spin_hpus_name(hpus), what, us);
	row = measure_add(&m, name, measure_median(two, LIVE_ROUNDS), unit);
	measure_baseline(row, measure_median(one, LIVE_ROUNDS));
	row->ratio = measure_median(ratio, LIVE_ROUNDS);
}

static void measure_live(enum spin_hpus hpus, double us, uint32_t rounds)
{
	double one[2][LIVE_ROUNDS], two[2][LIVE_ROUNDS], ratio[2][LIVE_ROUNDS];

	for (unsigned i = 0; i < LIVE_ROUNDS; i++) {
		const struct rates alone = live_once(hpus, rounds, 1), both = live_once(hpus, rounds, 2);

		one[0][i] = alone.per_second;
		two[0][i] = both.per_second;
		one[1][i] = alone.per_cpu;
		two[1][i] = both.per_cpu;
		for (unsigned k = 0; k < 2; k++)
			ratio[k][i] = two[k][i] / one[k][i];
	}
	add_live(hpus, us, "", "datagrams/s", one[0], two[0], ratio[0]);
	add_live(hpus, us, "per_cpu.", "datagrams/CPU s", one[1], two[1], ratio[1]);
}

static uint32_t live_rounds(double us)
{
	struct shared_updates h = { 0 };
	struct spin_nic *nic;
	uint32_t rounds;
	const char *reason;

	reason = spin_nic__open_offline(&nic) ? spin_strerror_last()
					      : shared_updates__open(&h, nic, "busy", "udp dport 9330", SPIN_HPUS_CPU, 0);
	if (reason)
		die("%s", reason);
	rounds = rounds_for(&h, nic, us);
	shared_updates__close(&h);
	spin_nic__close(nic);
	return rounds;
}

int main(int argc, char **argv)
{
	static const double test_run_us[] = { 0.5, 1.2, 2, 5, 15 }, live_us[] = { 2, 5, 15 };
	char name[64];

	if (geteuid() || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("skip: namespaces and XDP need root, and two CPUs\n");
		return 77;
	}
	pair__open(&pair);
	measure_begin(&m, "bench-hpus");
	for (unsigned i = 0; i < sizeof(test_run_us) / sizeof(test_run_us[0]); i++) {
		snprintf(name, sizeof(name), "hpus.two_vs_one.%.1f_us", test_run_us[i]);
		measure_test_run(name, "busy", test_run_us[i], test_run_us[i] > 1 ? TARGET : 0);
	}
	measure_test_run("hpus.two_vs_one.shared", "hammer", SHARED_US, 0);
	for (unsigned i = 0; i < sizeof(live_us) / sizeof(live_us[0]); i++)
		for (enum spin_hpus hpus = SPIN_HPUS_QUEUE; hpus <= SPIN_HPUS_SPREAD; hpus++)
			measure_live(hpus, live_us[i], live_rounds(live_us[i]));
	measure_print(&m);
	pair__close(&pair);
	if (argc > 1 && measure_write(&m, argv[1]))
		die("%s cannot be written", argv[1]);
	return 0;
}
