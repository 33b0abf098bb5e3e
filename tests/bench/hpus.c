/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a second HPU is worth: datagrams handled in a second by one and by two, on CPUs of their own, for handlers
 * of several lengths. HPUs are receive queues, whose packets are chosen by their flows, and CPUs that packets are
 * given to. What sends shares these CPUs, so two HPUs are not quite twice one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <common/hammering.h>
#include <common/measure.h>
#include <common/message_packet.h>
#include <common/netns.h>
#include <common/pair.h>

#define TRIES 5
#define RUN_MS 250

static struct pair pair;
static volatile int stop;

static int fail(const char *what)
{
	printf("FAIL: %s\n", what);
	return 1;
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Handled in a second; `sockets`: 1 flow comes by one queue, 16 by all. */
static double rate(struct hammering *h, unsigned sockets)
{
	struct hammering_stream s = { .from = 6000, .to = 9000, .sockets = sockets, .stop = &stop };
	uint64_t runs;
	double start;

	stop = 0;
	netns_enter(pair.near_ns);
	if (hammering__stream(&s))
		return 0;
	usleep(50000);
	runs = hammering__runs(h);
	start = now_s();
	usleep(RUN_MS * 1000);
	runs = hammering__runs(h) - runs;
	start = now_s() - start;
	stop = 1;
	pthread_join(s.thread, NULL);
	usleep(20000);
	return (double)runs / start;
}

/* How long the handler takes, alone. */
static double length_us(uint32_t rounds)
{
	struct hammering h = { 0 };
	struct spin_run_result result = { 0 };
	struct message_packet packet;
	uint8_t out[2048];
	struct spin_nic *nic;

	if (!spin_nic__open_offline(&nic) && !hammering__open(&h, nic, "busy", "udp dport 9330", SPIN_HPUS_CPU, rounds) &&
	    !message_packet_make(&packet, 64))
		spin_nic__run(nic, packet.frame, packet.bytes, 2000, out, sizeof(out), &result);
	hammering__close(&h);
	spin_nic__close(nic);
	return result.ns_per_packet / 1000.0;
}

/* The median of what two come to over one, one after the other each time. NAN: it could not be measured. */
static double measure_ratio(enum spin_hpus hpus, uint32_t rounds, double *one_s, double *two_s)
{
	double ratio[TRIES], one[TRIES], two[TRIES];

	for (unsigned i = 0; i < TRIES; i++) {
		for (unsigned count = 1; count <= 2; count++) {
			struct hammering h = { .hpu_count = hpus == SPIN_HPUS_SPREAD ? count : 0 };
			struct spin_nic *nic;
			const char *why;

			netns_enter(pair.far_ns);
			why = spin_nic__open(FAR_DEV, &nic) ? spin_strerror_last() :
				hammering__open(&h, nic, "busy", "udp dport 9000", hpus, rounds);
			if (why) {
				fail(why);
				return NAN;
			}
			*(count == 1 ? &one[i] : &two[i]) = rate(&h, hpus == SPIN_HPUS_QUEUE && count == 1 ? 1 : 16);
			hammering__close(&h);
			spin_nic__close(nic);
		}
		ratio[i] = two[i] / one[i];
	}
	*one_s = measure_median(one, TRIES);
	*two_s = measure_median(two, TRIES);
	return measure_median(ratio, TRIES);
}

int main(int argc, char **argv)
{
	static const uint32_t rounds[] = { 400, 1500, 4000, 12000 };
	static struct measure m;

	pair__open(&pair);
	measure_begin(&m, "bench-hpus");
	for (unsigned i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
		double us = length_us(rounds[i]);

		for (enum spin_hpus hpus = SPIN_HPUS_QUEUE; hpus <= SPIN_HPUS_SPREAD; hpus++) {
			int last = i == sizeof(rounds) / sizeof(rounds[0]) - 1;
			struct measure_row *row;
			double one, two, ratio = measure_ratio(hpus, rounds[i], &one, &two);
			char name[64];

			if (!(ratio > 0))
				return fail("a second HPU could not be measured");
			if (last)
				snprintf(name, sizeof(name), "hpus.two_vs_one%s", hpus == SPIN_HPUS_QUEUE ? "" : ".spread");
			else
				snprintf(name, sizeof(name), "hpus.%s.two_vs_one.%.1f_us", spin_hpus_name(hpus), us);
			row = measure_add(&m, name, two, "datagrams/s");
			measure_baseline(row, one);
			row->ratio = ratio;
			if (last)
				measure_goal(row, MEASURE_AT_LEAST, 1.6, ratio);
		}
	}
	measure_add(&m, "hpus.handler", length_us(rounds[3]), "us");
	measure_print(&m);
	pair__close(&pair);
	return argc > 1 && measure_write(&m, argv[1]) ? fail("the figures cannot be written") : 0;
}
