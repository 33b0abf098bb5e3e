/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests handlers/filtering.c, which rewrites the port of datagrams from the sources in its table, on a veth. Datagrams of a local sender,
 * with partial checksums, must arrive at the table's port with their payload. Unmatched ones must arrive at their original port. Uses
 * namespaces of its own. Run by tests/run.
 */
#include <arpa/inet.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/counts.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include <spin/libspin.h>

#define DATAGRAMS 100

static void die(const char *what)
{
	printf("FAIL: %s\n", what);
	exit(1);
}

static struct sockaddr_in address(const char *text, uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, text, &a.sin_addr);
	return a;
}

static int receiver(uint16_t port)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in a = address("10.9.0.1", port);
	struct timeval wait = slow_wait(500);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		die("cannot open a socket");
	return fd;
}

/* Returns the number of correct datagrams that have arrived. */
static unsigned received(int fd)
{
	unsigned n = 0;
	char text[64], want[64];

	for (ssize_t got; (got = recv(fd, text, sizeof(text) - 1, 0)) > 0; n++) {
		text[got] = '\0';
		snprintf(want, sizeof(want), "datagram %u", n);
		if (strcmp(text, want))
			die("another payload is received");
	}
	return n;
}

static void send_all(uint16_t port)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in to = address("10.9.0.1", port);

	for (unsigned n = 0; n < DATAGRAMS; n++) {
		char text[64];
		int bytes = snprintf(text, sizeof(text), "datagram %u", n);

		if (sendto(fd, text, (size_t)bytes, 0, (struct sockaddr *)&to, sizeof(to)) != bytes)
			die("cannot send");
	}
	close(fd);
}

/* The other end of the veth. It sends on request. */
static pid_t sender(int *go)
{
	int ready[2], start[2];
	char byte = 0;
	pid_t pid;

	if (pipe(ready) || pipe(start))
		die("pipe");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (unshare(CLONE_NEWNET) || write(ready[1], &byte, 1) != 1 || read(start[0], &byte, 1) != 1)
			_exit(1);
		netns_shell("ip addr add 10.9.0.2/24 dev v1 && ip link set v1 up");
		if (write(ready[1], &byte, 1) != 1 || read(start[0], &byte, 1) != 1)
			_exit(1);
		send_all(9000);
		send_all(9100);
		_exit(0);
	}
	if (pid < 0 || read(ready[0], &byte, 1) != 1)
		die("no second namespace");
	go[0] = ready[0];
	go[1] = start[1];
	return pid;
}

int main(void)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	uint64_t packets[SPIN_REASON_COUNT];
	char path[512], command[128], byte = 0;
	int go[2], at_9000, at_7001, at_9100, status;
	pid_t pid;

	if (geteuid() || unshare(CLONE_NEWNET)) {
		printf("skip: namespaces and XDP need root\n");
		return 77;
	}
	netns_shell("ip link add v0 type veth peer name v1");
	pid = sender(go);
	snprintf(command, sizeof(command), "ip link set v1 netns %d", pid);
	netns_shell(command);
	netns_shell("ip addr add 10.9.0.1/24 dev v0 && ip link set v0 up && ip link set lo up");
	if (write(go[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
		die("the sender is gone");
	if (built_object("filtering", path, sizeof(path)))
		die(engine_error());
	if (spin_object__open(path, &object) || spin_nic__open("v0", &nic) || spin_rule__parse("udp dport 9000", &rule) ||
	    spin_ctx__create(nic, object, &rule, &ctx) || spin_ctx__table_insert(ctx, "routes", "src=10.9.0.2 port=7001") ||
	    spin_ctx__attach(ctx))
		die(spin_strerror_last());
	at_9000 = receiver(9000);
	at_7001 = receiver(7001);
	at_9100 = receiver(9100);
	if (write(go[1], &byte, 1) != 1)
		die("the sender is gone");
	if (waitpid(pid, &status, 0) != pid || status)
		die("the sender failed");
	if (received(at_7001) != DATAGRAMS)
		die("not all are received at the table's port");
	if (received(at_9000))
		die("some are received at the old port");
	if (received(at_9100) != DATAGRAMS)
		die("unmatched datagrams are lost");
	counts_all(ctx, packets);
	if (packets[SPIN_REASON_SUCCESS] != DATAGRAMS || packets[SPIN_REASON_UNMATCHED] < DATAGRAMS)
		die("the counters say otherwise");
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	spin_object__close(object);
	return 0;
}
