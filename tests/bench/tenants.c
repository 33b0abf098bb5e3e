/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Measures what a polite program has of its handlers beside a greedy one, on one CPU, with and without spind's hpu-time (OSMOSIS is the
 * reference): how long a flow of requests takes, each answered at XDP, and how equally two greedy ones share the CPU's time (Jain's
 * index: 1 is equal, 0.5 is that one of two has all).
 * tenants FILE: writes rows as JSON to FILE, a table to stdout.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/measure.h"
#include "tests/common/net/asks.h"
#include "tests/common/net/netns.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define TURNS    7
#define REQUESTS 200  /* of a flow */
#define LONG     1400 /* bytes of a greedy program's datagrams: the handler inverts each word */
#define BURST    64   /* datagrams of a greedy one at a time, and the pause after them: more than one CPU handles */
#define BURST_US 300
#define SHARE_MS 1000 /* two greedy ones share for so long */
#define POLITE   ASKS_PORT
#define GREEDY   (ASKS_PORT + 1)

static struct asks_hosts hosts;
static struct spind spind;
static struct spin_object *rewrite;

/* A program that sends more than one CPU handles, to a handler that takes long. */
struct flooder {
	int fd;
	uint16_t port;
	unsigned bytes;
	pthread_t thread;
	volatile int stop;
};

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *flood(void *arg)
{
	struct flooder *f = arg;
	union asks_address to;
	socklen_t bytes = asks__address("10.9.0.1", f->port, &to);
	uint8_t datagram[LONG] = { 3 /* invert all of it */ };

	while (!f->stop) {
		for (int i = 0; i < BURST; i++)
			sendto(f->fd, datagram, f->bytes, 0, &to.any, bytes);
		usleep(BURST_US);
	}
	return NULL;
}

static void start_flood(struct flooder *f, uint16_t port, unsigned bytes)
{
	f->fd = asks__socket(&hosts, hosts.client_ns, AF_INET);
	f->port = port;
	f->bytes = bytes;
	f->stop = 0;
	if (pthread_create(&f->thread, NULL, flood, f))
		die("no thread");
}

static void stop_flood(struct flooder *f)
{
	f->stop = 1;
	pthread_join(f->thread, NULL);
	close(f->fd);
}

static struct spin_ctx *attach(int fd, const char *name)
{
	const struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket, .name = name };
	struct spin_ctx *ctx;

	if (spin_socket__attach(fd, rewrite, &opts, &ctx))
		die("attach: %s", spin_strerror_last());
	return ctx;
}

static int receiver(uint16_t port)
{
	int fd = asks__socket(&hosts, hosts.server_ns, AF_INET);

	asks__bind(fd, "10.9.0.1", port);
	return fd;
}

/* A flow: requests one after the other, each sent again until its reply is there. ms. */
static double run_flow(int fd)
{
	const struct timeval wait = { .tv_usec = 2000 };
	uint64_t start = now_ns();

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	for (int i = 0; i < REQUESTS; i++) {
		struct asks_ask ask, got;
		int done = 0;

		while (!done) {
			asks__send(fd, "10.9.0.1", POLITE, ASK_NOTHING, 1, &ask);
			done = recv(fd, &got, sizeof(got), 0) == 16;
			if (now_ns() - start > 60000000000ull)
				die("a flow takes more than a minute");
		}
	}
	return (double)(now_ns() - start) / 1e6;
}

static uint64_t busy_ns[2];

static int read_busy(void *arg, const struct spin_socket_info *info)
{
	(void)arg;
	if (!strcmp(info->name, "polite"))
		busy_ns[0] = info->busy_ns;
	if (!strcmp(info->name, "greedy"))
		busy_ns[1] = info->busy_ns;
	return 0;
}

/* Of what two contexts have had of the CPU. */
static double jain(double a, double b)
{
	return (a + b) * (a + b) / (2 * (a * a + b * b));
}

struct outcome {
	double alone_ms, beside_ms, jain;
};

/* One spind with this limit; percent 0 is none, but its time is counted, so 100 stands for "without". */
static void measure_with(const char *settings, struct outcome *out)
{
	double alone[TURNS], beside[TURNS], share[TURNS];
	struct flooder greedy, other;
	struct spin_ctx *polite_ctx, *greedy_ctx;
	int polite, greedy_socket, fd;

	spind__start(&spind, settings);
	polite = receiver(POLITE);
	greedy_socket = receiver(GREEDY);
	fd = asks__socket(&hosts, hosts.client_ns, AF_INET);
	polite_ctx = attach(polite, "polite");
	greedy_ctx = attach(greedy_socket, "greedy");
	for (int i = 0; i < TURNS; i++) {
		alone[i] = run_flow(fd);
		start_flood(&greedy, GREEDY, LONG);
		usleep(50000);
		beside[i] = run_flow(fd);
		/* the polite one becomes greedy, too, with packets that take a quarter of the time */
		if (spin_socket__list(spind.socket, read_busy, NULL))
			die("list: %s", spin_strerror_last());
		double before[2] = { (double)busy_ns[0], (double)busy_ns[1] };

		start_flood(&other, POLITE, LONG / 4);
		usleep(SHARE_MS * 1000);
		spin_socket__list(spind.socket, read_busy, NULL);
		share[i] = jain((double)busy_ns[0] - before[0], (double)busy_ns[1] - before[1]);
		stop_flood(&other);
		stop_flood(&greedy);
		while (recv(polite, before, sizeof(before), MSG_DONTWAIT) > 0 ||
		       recv(greedy_socket, before, sizeof(before), MSG_DONTWAIT) > 0)
			;
	}
	spin_ctx__destroy(polite_ctx);
	spin_ctx__destroy(greedy_ctx);
	close(fd);
	close(polite);
	close(greedy_socket);
	spind__finish(&spind);
	out->alone_ms = measure_median(alone, TURNS);
	out->beside_ms = measure_median(beside, TURNS);
	out->jain = measure_median(share, TURNS);
}

int main(int argc, char **argv)
{
	struct outcome with, without;
	struct measure_row *row;
	static struct measure m;
	char path[512];

	if (argc != 2) {
		fprintf(stderr, "usage: tenants FILE\n");
		return 2;
	}
	asks__hosts(&hosts);
	netns_thread_napi("s0"); /* handlers run on a CPU of their own, not the sender's */
	pin(0);
	if (built_object("rewrite", path, sizeof(path)) || spin_object__open(path, &rewrite))
		die("%s", spin_strerror_last());
	measure_begin(&m, "tenants");
	measure_with("hpu-time 1000000\n", &without);
	measure_with("hpu-time 50\n", &with);
	measure_add(&m, "tenants.flow_alone_ms", with.alone_ms, "ms");
	row = measure_add(&m, "tenants.flow_beside_greedy_ms", with.beside_ms, "ms");
	measure_baseline(row, without.beside_ms);
	row = measure_add(&m, "tenants.jain", with.jain, "");
	measure_baseline(row, without.jain);
	spin_object__close(rewrite);
	measure_print(&m);
	return measure_write(&m, argv[1]) ? 1 : 0;
}
