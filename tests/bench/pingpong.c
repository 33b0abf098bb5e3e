/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares the round trip of a message's packet that the pingpong handler returns at XDP with a UDP echo server in user space, which
 * uses a blocking socket on another CPU: over a veth, alternating, with the same client, medians.
 * pingpong FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/measure/measure.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/proc.h"
#include <spin/slmp.h>
#include <spin/libspin_message.h>

#define ROUNDS  15
#define TRIPS   1000u
#define PAYLOAD 64u
#define TARGET  0.25

enum variant { USERSPACE, HANDLER, VARIANTS };

struct datagram {
	struct spin_slmp head;
	uint8_t payload[PAYLOAD];
} __attribute__((packed));

static struct spin_ctx *open_handler(void)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;

	object = built_open("pingpong");
	if (spin_rule__parse("udp dport 9330", &rule) || spin_nic__open(FAR_DEV, &nic) || spin_ctx__create(nic, object, &rule, &ctx))
		die("%s", spin_strerror_last());
	spin_nic__close(nic);
	spin_object__close(object);
	return ctx;
}

static int open_socket(int server)
{
	struct sockaddr_in far = { .sin_family = AF_INET, .sin_port = htons(SPIN_SLMP_PORT) };
	struct timeval wait = { .tv_sec = 1 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, FAR_ADDR, &far.sin_addr);
	if (fd < 0 || (server ? bind : connect)(fd, (struct sockaddr *)&far, sizeof(far)) ||
	    (!server && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait))))
		die("a socket: %s", strerror(errno));
	return fd;
}

static int echo(void *arg)
{
	int fd = *(int *)arg;
	struct sockaddr_in from;
	struct datagram d;

	for (;;) {
		socklen_t from_bytes = sizeof(from);
		ssize_t bytes = recvfrom(fd, &d, sizeof(d), 0, (struct sockaddr *)&from, &from_bytes);

		if (bytes < 0)
			return 1;
		sendto(fd, &d, (size_t)bytes, 0, (struct sockaddr *)&from, from_bytes);
	}
}

/* Waits until the packet itself returns. Skips its acknowledgement, which is shorter. */
static void exchange(int fd, struct datagram *d, uint16_t flags, uint32_t id, uint32_t packet)
{
	struct datagram got;
	ssize_t bytes;

	d->head = (struct spin_slmp){ htons(flags), htonl(id), htonl(packet * PAYLOAD) };
	if (send(fd, d, sizeof(*d), 0) != sizeof(*d))
		die("cannot send: %s", strerror(errno));
	do
		bytes = recv(fd, &got, sizeof(got), 0);
	while (bytes == sizeof(got.head));
	if (bytes != sizeof(got) || memcmp(&got, d, sizeof(got)))
		die("a packet has not come back: %s", bytes < 0 ? strerror(errno) : "another one has");
}

/* Returns the mean microseconds of the packets of one message, without its first. */
static double round_trip(int fd, uint32_t id)
{
	struct datagram d = { .payload = { 1, 2, 3 } };
	uint64_t start;

	exchange(fd, &d, SPIN_SLMP_SYN, id, 0);
	start = now_ns();
	for (uint32_t i = 1; i <= TRIPS; i++)
		exchange(fd, &d, 0, id, i);
	start = now_ns() - start;
	exchange(fd, &d, SPIN_SLMP_EOM, id, TRIPS + 1);
	return (double)start / TRIPS / 1000;
}

int main(int argc, char **argv)
{
	static struct measure m;
	double us[VARIANTS][ROUNDS];
	struct measure_row *row;
	struct spin_ctx *ctx;
	struct pair pair;
	int server, client;
	cpu_set_t cpu;
	pid_t echo_pid;

	if (geteuid() || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("skip: namespaces and XDP need root, and two CPUs\n");
		return 77;
	}
	proc_init();
	pair__open(&pair);
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	client = open_socket(0);
	netns_enter(pair.far_ns);
	server = open_socket(1);
	ctx = open_handler();
	echo_pid = proc_start(pair.far_ns, 1, echo, &server);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		us[USERSPACE][i] = round_trip(client, 2 * i);
		if (spin_ctx__attach(ctx))
			die("%s", spin_strerror_last());
		us[HANDLER][i] = round_trip(client, 2 * i + 1);
		spin_ctx__detach(ctx);
	}
	proc_stop(echo_pid, SIGKILL);
	spin_ctx__destroy(ctx);
	pair__close(&pair);
	measure_begin(&m, "bench-pingpong");
	row = measure_add(&m, "pingpong.vs_userspace", measure_median(us[HANDLER], ROUNDS), "us");
	measure_baseline(row, measure_median(us[USERSPACE], ROUNDS));
	measure_goal(row, MEASURE_AT_MOST, TARGET, row->ratio);
	measure_print(&m);
	if (argc > 1 && measure_write(&m, argv[1]))
		die("%s cannot be written", argv[1]);
	return 0;
}
