/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Measures how a greedy program affects a polite one on the same CPU, with and without spind's setting hpu-time, which limits handlers to a
 * share of each CPU's time (compare OSMOSIS, a paper): the time of a flow of requests, each answered at XDP, and how equally two greedy
 * programs share the CPU (Jain's index: 1 is equal, 0.5 means that one of two has everything).
 * tenants FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
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
#include "tests/common/measure/measure.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define ROUNDS   7
#define REQUESTS 200  /* per flow */
#define LONG     1400 /* bytes of a greedy program's datagram; the handler inverts each word */
#define BURST    64   /* datagrams that a greedy program sends before a pause: more than one CPU handles */
#define BURST_US 300
#define SHARE_MS 1000 /* duration for which two greedy programs share */
#define POLITE   UDP_HOSTS_PORT
#define GREEDY   (UDP_HOSTS_PORT + 1)

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *rewrite;

/* A program that sends more than one CPU handles, to a slow handler. */
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
	socklen_t bytes = udp_hosts__address("10.9.0.1", f->port, &to);
	uint8_t datagram[LONG] = { 3 /* inverts the whole datagram */ };

	while (!f->stop) {
		for (int i = 0; i < BURST; i++)
			sendto(f->fd, datagram, f->bytes, 0, &to.any, bytes);
		usleep(BURST_US);
	}
	return NULL;
}

static void start_flood(struct flooder *f, uint16_t port, unsigned bytes)
{
	f->fd = udp_hosts__socket(&hosts, hosts.client_ns, AF_INET);
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

static int receiver(uint16_t port)
{
	int fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);

	udp_hosts__bind(fd, "10.9.0.1", port);
	return fd;
}

/* Sends requests one after the other, and resends each until its reply arrives. Returns milliseconds. */
static double run_flow(int fd)
{
	const struct timeval wait = { .tv_usec = 2000 };
	uint64_t start = now_ns();

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	for (int i = 0; i < REQUESTS; i++) {
		struct asks_ask ask, got;
		int done = 0;

		while (!done) {
			udp_hosts__send(fd, "10.9.0.1", POLITE, ASK_NOTHING, 1, &ask);
			done = recv(fd, &got, sizeof(got), 0) == 16;
			if (now_ns() - start > 60000000000ull)
				die("a flow takes more than a minute");
		}
	}
	return (double)(now_ns() - start) / 1e6;
}

/* Per program, while both run: packets handled, and the handlers' time, which spind counts only with a limit. */
struct counts {
	double packets[2], busy_ns[2];
};

static int read_one(void *arg, const struct spin_socket_info *info)
{
	struct counts *counts = arg;
	const int i = !strcmp(info->name, "greedy");

	counts->packets[i] = (double)info->handled;
	counts->busy_ns[i] = (double)info->busy_ns;
	return 0;
}

static void read_counts(struct counts *counts)
{
	if (spin_socket__list(spind.socket, read_one, counts))
		die("list: %s", spin_strerror_last());
}

static double jain(double a, double b)
{
	return (a + b) * (a + b) / (2 * (a * a + b * b));
}

struct result {
	double alone_ms, contended_ms;
	double packets[ROUNDS][2]; /* per round, while both flood */
	double ns_per_packet[2];   /* measured only with a limit */
};

/* Returns Jain's index of CPU time: packets times ns_per_packet[]. */
static double share(const struct result *out, const double ns_per_packet[2])
{
	double index[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		index[i] = jain(out->packets[i][0] * ns_per_packet[0], out->packets[i][1] * ns_per_packet[1]);
	return measure_median(index, ROUNDS);
}

/* The polite program floods as well, with packets that take a quarter of the time. */
static void measure_share(struct result *out, int round)
{
	struct counts before, after;
	struct flooder other;

	read_counts(&before);
	start_flood(&other, POLITE, LONG / 4);
	usleep(SHARE_MS * 1000);
	read_counts(&after);
	stop_flood(&other);
	for (int i = 0; i < 2; i++) {
		out->packets[round][i] = after.packets[i] - before.packets[i];
		out->ns_per_packet[i] = (after.busy_ns[i] - before.busy_ns[i]) / out->packets[round][i];
	}
}

static void measure_with(const char *settings, struct result *out)
{
	double alone[ROUNDS], contended[ROUNDS];
	struct flooder greedy;
	struct spin_ctx *polite_ctx, *greedy_ctx;
	int polite, greedy_socket, fd;
	char unread[LONG];

	spind__start(&spind, settings);
	polite = receiver(POLITE);
	greedy_socket = receiver(GREEDY);
	fd = udp_hosts__socket(&hosts, hosts.client_ns, AF_INET);
	polite_ctx = spind__attach(&spind, polite, rewrite, "polite");
	greedy_ctx = spind__attach(&spind, greedy_socket, rewrite, "greedy");
	for (int i = 0; i < ROUNDS; i++) {
		alone[i] = run_flow(fd);
		start_flood(&greedy, GREEDY, LONG);
		usleep(50000);
		contended[i] = run_flow(fd);
		measure_share(out, i);
		stop_flood(&greedy);
		while (recv(polite, unread, sizeof(unread), MSG_DONTWAIT) > 0 ||
		       recv(greedy_socket, unread, sizeof(unread), MSG_DONTWAIT) > 0)
			;
	}
	spin_ctx__destroy(polite_ctx);
	spin_ctx__destroy(greedy_ctx);
	close(fd);
	close(polite);
	close(greedy_socket);
	spind__cleanup(&spind);
	out->alone_ms = measure_median(alone, ROUNDS);
	out->contended_ms = measure_median(contended, ROUNDS);
}

int main(int argc, char **argv)
{
	static struct result with, without;
	struct measure_row *row;
	static struct measure m;

	if (argc != 2) {
		fprintf(stderr, "usage: tenants FILE\n");
		return 2;
	}
	udp_hosts__hosts(&hosts);
	netns_thread_napi("s0"); /* handlers run on their own CPU, not the sender's */
	pin(0);
	rewrite = built_open("rewrite");
	measure_begin(&m, "tenants");
	measure_with("hpu-time 0\n", &without);
	measure_with("hpu-time 50\n", &with);
	measure_add(&m, "tenants.flow_alone_ms", with.alone_ms, "ms");
	row = measure_add(&m, "tenants.flow_beside_greedy_ms", with.contended_ms, "ms");
	measure_baseline(row, without.contended_ms);
	row = measure_add(&m, "tenants.jain", share(&with, with.ns_per_packet), "");
	measure_baseline(row, share(&without, with.ns_per_packet));
	spin_object__close(rewrite);
	measure_print(&m);
	return measure_write(&m, argv[1]) ? 1 : 0;
}
