/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests spind's limit of handlers' CPU time. Two programs have handlers on their sockets. The handlers of one take more than their share of
 * CPU time; the other sends a request now and then. spind's setting hpu-time must drop packets of the first program and none of the second,
 * whose requests must all be answered. Run by tests/run.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define REQUESTS  100
#define TRIES     20 /* per reply: a flooded link loses packets */
#define LONG      1400
#define LONG_RUNS 100

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *rewrite;
static volatile int stop;

static void finish(void)
{
	spind__cleanup(&spind);
}

static void *flood(void *arg)
{
	const int fd = *(const int *)arg;
	union asks_address to;
	socklen_t bytes = udp_hosts__address("10.9.0.1", UDP_HOSTS_PORT + 1, &to);
	uint8_t datagram[LONG] = { 3 /* invert all of it */ };

	while (!stop)
		sendto(fd, datagram, sizeof(datagram), 0, &to.any, bytes);
	return NULL;
}

static int receiver(uint16_t port)
{
	int fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);

	udp_hosts__bind(fd, "10.9.0.1", port);
	return fd;
}

static int is_answered(int fd)
{
	for (int i = 0; i < TRIES; i++) {
		struct asks_ask ask, got;

		udp_hosts__send(fd, "10.9.0.1", UDP_HOSTS_PORT, ASK_NOTHING, 1, &ask);
		while (recv(fd, &got, sizeof(got), 0) == 16)
			if (got.body[0] == ask.body[0])
				return 1;
	}
	return 0;
}

static uint64_t over_limit[2];

static int store_over_limit(void *arg, const struct spin_socket_info *info)
{
	(void)arg;
	over_limit[!strcmp(info->name, "greedy")] = info->over;
	if (!info->busy_ns)
		die("no time of handlers is counted");
	return 0;
}

/* Handlers that run longer than a window of the limit, until the work limit ends them, owe what they took beyond their share. */
static void check_long_runs(int fd)
{
	const int receives = receiver(UDP_HOSTS_PORT + 2);
	struct spin_ctx *ctx = spind__attach(&spind, receives, built_open("endless"), "greedy");
	union asks_address to;
	const socklen_t bytes = udp_hosts__address("10.9.0.1", UDP_HOSTS_PORT + 2, &to);

	over_limit[1] = 0;
	for (int i = 0; i < LONG_RUNS; i++) {
		sendto(fd, "x", 1, 0, &to.any, bytes);
		usleep(2000);
	}
	if (spin_socket__list(spind.socket, store_over_limit, NULL))
		die("list: %s", spin_strerror_last());
	if (over_limit[1] < LONG_RUNS / 2)
		die("of %d datagrams whose handlers do not end, %lu were dropped", LONG_RUNS, (unsigned long)over_limit[1]);
	printf("ok: of %d datagrams whose handlers do not end, %lu were dropped\n", LONG_RUNS, (unsigned long)over_limit[1]);
	spin_ctx__destroy(ctx);
	close(receives);
}

int main(void)
{
	int polite, greedy, fd, flooding;
	struct spin_ctx *ctx[2];
	pthread_t thread;

	setvbuf(stdout, NULL, _IOLBF, 0);
	udp_hosts__hosts(&hosts);
	rewrite = built_open("rewrite");
	spind__start(&spind, "hpu-time 5\n");
	atexit(finish);
	polite = receiver(UDP_HOSTS_PORT);
	greedy = receiver(UDP_HOSTS_PORT + 1);
	fd = udp_hosts__socket(&hosts, hosts.client_ns, AF_INET);
	flooding = udp_hosts__socket(&hosts, hosts.client_ns, AF_INET);
	ctx[0] = spind__attach(&spind, polite, rewrite, "polite");
	ctx[1] = spind__attach(&spind, greedy, rewrite, "greedy");
	if (pthread_create(&thread, NULL, flood, &flooding))
		die("no thread");
	for (int i = 0; i < REQUESTS; i++) {
		if (!is_answered(fd))
			die("a request of the polite one is not answered");
		usleep(1000);
	}
	stop = 1;
	pthread_join(thread, NULL);
	if (spin_socket__list(spind.socket, store_over_limit, NULL))
		die("list: %s", spin_strerror_last());
	if (!over_limit[1])
		die("the greedy one has had more than its part");
	if (over_limit[0] > over_limit[1] / 100) /* a busy machine may interrupt its handlers for longer than its part */
		die("%lu of the polite one's packets were dropped", (unsigned long)over_limit[0]);
	printf("ok: %lu datagrams of the greedy one were dropped, %lu of the polite one's\n", (unsigned long)over_limit[1],
	       (unsigned long)over_limit[0]);
	spin_ctx__destroy(ctx[0]);
	spin_ctx__destroy(ctx[1]);
	usleep(100000); /* until spind does not list them any more */
	check_long_runs(fd);
	close(polite);
	close(greedy);
	close(fd);
	return 0;
}
