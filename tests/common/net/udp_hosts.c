/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two hosts and datagrams between them (udp_hosts.h), for tests and benchmarks of handlers on sockets (tests/sockets, tests/fuzz,
 * tests/bench). Failures end the test.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/common/net/udp_hosts.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/net/xdp_pass.h"

#define TRIES 5

static void die(const char *what)
{
	printf("FAIL: %s: %s\n", what, strerror(errno));
	exit(1);
}

void udp_hosts__hosts(struct udp_hosts *out)
{
	char command[128];

	out->server_ns = netns_new();
	out->client_ns = netns_new();
	snprintf(command, sizeof(command), "ip link add c0 type veth peer name s0 netns /proc/%d/fd/%d", getpid(), out->server_ns);
	netns_shell(command);
	netns_shell("ip link set lo up && ip link set c0 up");
	netns_shell("ip addr add 10.9.0.2/24 dev c0 && ip addr add fd09::2/64 dev c0 nodad");
	netns_shell("ip route add 224.0.0.0/4 dev c0");
	xdp_pass__attach("c0");
	netns_enter(out->server_ns);
	netns_shell("ip link set lo up && ip link set s0 up");
	netns_shell("ip addr add 10.9.0.1/24 dev s0 && ip addr add fd09::1/64 dev s0 nodad");
}

socklen_t udp_hosts__address(const char *text, uint16_t port, union asks_address *out)
{
	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, text, &out->ip4.sin_addr) == 1) {
		out->ip4.sin_family = AF_INET;
		out->ip4.sin_port = htons(port);
		return sizeof(out->ip4);
	}
	if (inet_pton(AF_INET6, text, &out->ip6.sin6_addr) != 1)
		die(text);
	out->ip6.sin6_family = AF_INET6;
	out->ip6.sin6_port = htons(port);
	return sizeof(out->ip6);
}

int udp_hosts__socket(const struct udp_hosts *hosts, int ns, int family)
{
	struct timeval wait = slow_wait(300);
	int fd;

	if (ns != hosts->server_ns)
		netns_enter(ns);
	fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		die("no socket");
	if (ns != hosts->server_ns)
		netns_enter(hosts->server_ns);
	return fd;
}

void udp_hosts__bind(int fd, const char *text, uint16_t port)
{
	union asks_address own;
	socklen_t bytes = udp_hosts__address(text, port, &own);

	if (bind(fd, &own.any, bytes))
		die(text);
}

void udp_hosts__send(int fd, const char *text, uint16_t port, enum asks_what what, int reply, struct asks_ask *ask)
{
	static uint32_t serial;
	union asks_address to;
	socklen_t bytes = udp_hosts__address(text, port, &to);

	*ask = (struct asks_ask){ .what = (uint8_t)what,
				  .reply = (uint8_t)reply,
				  .bytes = htons(16),
				  .at = htons(12),
				  .port = htons(UDP_HOSTS_OTHER),
				  .value = htonl(UDP_HOSTS_VALUE) };
	ask->body[0] = ask->body[1] = htonl(++serial);
	if (sendto(fd, ask, sizeof(*ask), 0, &to.any, bytes) != sizeof(*ask))
		die("cannot send");
}

ssize_t udp_hosts__read(const int *fds, unsigned count, const struct asks_ask *ask, struct asks_ask *got)
{
	for (int i = 0; i < 64; i++)
		for (unsigned k = 0; k < count; k++) {
			const int last = k + 1 == count;
			ssize_t bytes = recv(fds[k], got, sizeof(*got), last ? 0 : MSG_DONTWAIT);

			if (bytes > 0 && got->body[1] == ask->body[1])
				return bytes;
			if (bytes <= 0 && last)
				return 0;
		}
	return 0;
}

int udp_hosts__is_rewritten(int sender, const char *text, uint16_t port, const int *fds, unsigned count)
{
	struct asks_ask ask, got;

	for (int tries = 0; tries < TRIES; tries++) {
		udp_hosts__send(sender, text, port, ASK_STORE, 0, &ask);
		if (udp_hosts__read(fds, count, &ask, &got) != sizeof(got))
			continue;
		if (got.body[0] != htonl(UDP_HOSTS_VALUE) && got.body[0] != ask.body[0])
			die("another datagram than was sent, and than the handler makes of it, is read");
		return got.body[0] == htonl(UDP_HOSTS_VALUE);
	}
	die("nothing is read");
	return 0;
}
