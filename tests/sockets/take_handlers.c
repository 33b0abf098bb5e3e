/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests handlers that a user without privileges attaches to a UDP socket of his own, by spind. For each kind of address that a UDP socket
 * can have, a datagram that a handler rewrites must be read rewritten, one that it drops must not be read, and a reply must leave at XDP.
 * Without the handlers, and on other sockets, every datagram must arrive unchanged. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/udp.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define TRIES 5

static struct udp_hosts hosts;
static struct spind spind;

/* Opens the sender of a family in a namespace. */
static int open_sender(int ns, int family)
{
	const int one = 1;
	int fd = udp_hosts__socket(&hosts, ns, family);

	if (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one)))
		die("no sender: %s", strerror(errno));
	udp_hosts__bind(fd, family == AF_INET6 ? "::" : "0.0.0.0", UDP_HOSTS_SENDER);
	return fd;
}

struct test_case {
	const char *name, *bind_to, *send_to;
	int from_server; /* the sender is on the same host */
	int only_ip6, connected, reuse_port, device, group;
};

static const struct test_case cases[] = {
	{ "an address of IPv4", "10.9.0.1", "10.9.0.1" },
	{ "any address of IPv4", "0.0.0.0", "10.9.0.1" },
	{ "an address of IPv6", "fd09::1", "fd09::1" },
	{ "any address, a datagram of IPv6", "::", "fd09::1" },
	{ "any address of IPv6 alone", "::", "fd09::1", .only_ip6 = 1 },
	{ "any address, a datagram of IPv4", "::", "10.9.0.1" },
	{ "an address of IPv4 in IPv6", "::ffff:10.9.0.1", "10.9.0.1" },
	{ "a socket that is connected", "10.9.0.1", "10.9.0.1", .connected = 1 },
	{ "a socket of any address that is connected", "0.0.0.0", "10.9.0.1", .connected = 1 },
	{ "a socket of IPv6 that is connected", "::", "fd09::1", .connected = 1 },
	{ "a socket of IPv6 that is connected to IPv4", "::", "10.9.0.1", .connected = 1 },
	{ "a multicast group", "239.9.0.1", "239.9.0.1", .group = 1 },
	{ "a multicast group of IPv6", "ff15::9", "ff15::9", .group = 1 },
	{ "a device", "0.0.0.0", "10.9.0.1", .device = 1 },
	{ "a group of sockets on a port", "10.9.0.1", "10.9.0.1", .reuse_port = 1 },
	{ "lo", "127.0.0.1", "127.0.0.1", .from_server = 1 },
	{ "another address of lo", "0.0.0.0", "127.0.0.9", .from_server = 1 },
	{ "lo, IPv6", "::1", "::1", .from_server = 1 },
	{ "an own address from the same host", "10.9.0.1", "10.9.0.1", .from_server = 1 },
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

static void join_group(const struct test_case *c, int fd, int is6)
{
	struct ip_mreq join = { .imr_interface.s_addr = inet_addr("10.9.0.1") };
	struct ipv6_mreq join6 = { .ipv6mr_interface = if_nametoindex("s0") };
	int err;

	if (is6) {
		inet_pton(AF_INET6, c->bind_to, &join6.ipv6mr_multiaddr);
		err = setsockopt(fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &join6, sizeof(join6));
	} else {
		join.imr_multiaddr.s_addr = inet_addr(c->bind_to);
		err = setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof(join));
	}
	if (err)
		die("%s: cannot join: %s", c->name, strerror(errno));
}

static int open_receiver(const struct test_case *c)
{
	const int one = 1, no = 0, is6 = strchr(c->bind_to, ':') != NULL;
	int fd = udp_hosts__socket(&hosts, hosts.server_ns, is6 ? AF_INET6 : AF_INET);
	union asks_address peer;
	socklen_t bytes;

	if (is6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, c->only_ip6 ? &one : &no, sizeof(one));
	if (c->reuse_port)
		setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
	if (c->device && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "s0", 3))
		die("%s: cannot bind to s0: %s", c->name, strerror(errno));
	udp_hosts__bind(fd, c->bind_to, UDP_HOSTS_PORT);
	if (c->group)
		join_group(c, fd, is6);
	if (c->connected) {
		bytes = udp_hosts__address(!is6                      ? "10.9.0.2"
					   : strchr(c->send_to, ':') ? "fd09::2"
								     : "::ffff:10.9.0.2",
					   UDP_HOSTS_SENDER, &peer);
		if (connect(fd, &peer.any, bytes))
			die("%s: cannot connect: %s", c->name, strerror(errno));
	}
	return fd;
}

static int is_rewritten(const struct test_case *c, int sender, const int *fds, unsigned count)
{
	return udp_hosts__is_rewritten(sender, c->send_to, UDP_HOSTS_PORT, fds, count);
}

static void check_dropped(const struct test_case *c, int sender, const int *fds, unsigned count)
{
	struct asks_ask dropped, got;

	udp_hosts__send(sender, c->send_to, UDP_HOSTS_PORT, ASK_DROP, 0, &dropped);
	if (udp_hosts__read(fds, count, &dropped, &got))
		die("%s: what the handler dropped is read", c->name);
}

static void check_reply(const struct test_case *c, int sender)
{
	struct asks_ask ask, got;

	for (int tries = 0; tries < TRIES; tries++) {
		udp_hosts__send(sender, c->send_to, UDP_HOSTS_PORT, ASK_NOTHING, 1, &ask);
		while (recv(sender, &got, sizeof(got), 0) == 16)
			if (got.body[0] == ask.body[0])
				return;
	}
	die("%s: no reply comes", c->name);
}

static void run_case(const struct test_case *c, const struct spin_object *obj, int sender)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts) };
	uint64_t packets[SPIN_REASON_COUNT];
	struct spin_ctx *ctx;
	int fds[2];
	unsigned count = 1;
	void *addr;
	size_t bytes;

	fds[0] = open_receiver(c);
	if (c->reuse_port)
		fds[count++] = open_receiver(c);
	if (is_rewritten(c, sender, fds, count))
		die("%s: handlers run before they are attached", c->name);
	opts.broker = spind.socket;
	if (spin_socket__attach(fds[0], obj, &opts, &ctx))
		die("%s: %s", c->name, spin_strerror_last());
	if (spin_ctx__alive(ctx) != 1)
		die("%s: not alive", c->name);
	if (!is_rewritten(c, sender, fds, count))
		die("%s: the handler does not run", c->name);
	check_dropped(c, sender, fds, count);
	/* a reply to a group would have the group's address as its source, and on the same host it would reach no socket */
	if (!c->group && !c->from_server)
		check_reply(c, sender);
	spin_ctx__counters(ctx, packets);
	if (!packets[SPIN_REASON_SUCCESS] || !packets[SPIN_REASON_DROPPED])
		die("%s: counters stay zero", c->name);
	if (spin_ctx__symbol(ctx, "spin_state", &addr, &bytes) || !*(uint32_t *)addr)
		die("%s: no state: %s", c->name, spin_strerror_last());
	if (spin_ctx__detach(ctx) || spin_ctx__alive(ctx) != 0)
		die("%s: cannot detach: %s", c->name, spin_strerror_last());
	if (is_rewritten(c, sender, fds, count))
		die("%s: the handler runs after it was detached", c->name);
	if (spin_ctx__attach(ctx) || !is_rewritten(c, sender, fds, count))
		die("%s: cannot attach again: %s", c->name, spin_strerror_last());
	spin_ctx__destroy(ctx);
	for (int tries = 0; is_rewritten(c, sender, fds, count); tries++)
		if (tries == 50)
			die("%s: the handler runs after its context was destroyed", c->name);
	while (count)
		close(fds[--count]);
	printf("ok: %s\n", c->name);
}

#define MERGED 8u /* datagrams that are sent together */

/* Sends several datagrams by one call (UDP_SEGMENT). */
static void send_segments(int sender)
{
	struct asks_ask asks[MERGED];
	union asks_address to;
	const socklen_t to_bytes = udp_hosts__address("10.9.0.1", UDP_HOSTS_PORT, &to);
	const int bytes = sizeof(asks[0]), none = 0;

	for (unsigned i = 0; i < MERGED; i++) {
		asks[i] = (struct asks_ask){ .what = ASK_STORE, .at = htons(12), .value = htonl(UDP_HOSTS_VALUE) };
		asks[i].body[0] = asks[i].body[1] = htonl(i);
	}
	if (setsockopt(sender, IPPROTO_UDP, UDP_SEGMENT, &bytes, sizeof(bytes)) ||
	    sendto(sender, asks, sizeof(asks), 0, &to.any, to_bytes) != sizeof(asks))
		die("UDP_GRO: cannot send: %s", strerror(errno));
	setsockopt(sender, IPPROTO_UDP, UDP_SEGMENT, &none, sizeof(none));
}

/* Reads all datagrams, which the kernel may have merged. Returns the number of calls. */
static unsigned read_merged(int fd)
{
	struct asks_ask got[MERGED];
	unsigned count = 0, calls = 0;

	for (; count < MERGED; calls++) {
		const ssize_t bytes = recv(fd, got, sizeof(got), 0);

		if (bytes <= 0 || bytes % (ssize_t)sizeof(got[0]))
			die("UDP_GRO: %zd bytes are read after %u datagrams: %s", bytes, count, strerror(errno));
		for (ssize_t i = 0; i < bytes / (ssize_t)sizeof(got[0]); i++, count++)
			if (got[i].body[0] != htonl(UDP_HOSTS_VALUE) || got[i].body[1] != htonl(count))
				die("UDP_GRO: datagram %u is not as the handler made it", count);
	}
	return calls;
}

/* A socket that takes datagrams merged (UDP_GRO): the kernel must merge them behind the handlers, which see each of them. */
static void check_gro(const struct spin_object *obj, int sender)
{
	static const struct test_case c = { "UDP_GRO", "10.9.0.1", "10.9.0.1" };
	int fd = open_receiver(&c), one = 1;
	struct spin_ctx *ctx = spind__attach(&spind, fd, obj, NULL);
	uint64_t packets[SPIN_REASON_COUNT];
	unsigned calls = MERGED, sent = 0;

	if (setsockopt(fd, IPPROTO_UDP, UDP_GRO, &one, sizeof(one)))
		die("no UDP_GRO: %s", strerror(errno));
	for (int tries = 0; calls == MERGED && tries < TRIES; tries++, sent += MERGED) {
		send_segments(sender);
		calls = read_merged(fd);
	}
	if (calls == MERGED)
		die("UDP_GRO: the kernel merges no datagrams of this socket");
	spin_ctx__counters(ctx, packets);
	if (packets[SPIN_REASON_SUCCESS] != sent)
		die("UDP_GRO: handlers saw %llu datagrams of %u", (unsigned long long)packets[SPIN_REASON_SUCCESS], sent);
	spin_ctx__destroy(ctx);
	close(fd);
	printf("ok: UDP_GRO: %u datagrams are read by %u calls\n", MERGED, calls);
}

static int run_all(void)
{
	struct spin_object *obj = built_open("rewrite");
	int senders[2][2]; /* by namespace and family: if several sockets shared a port, one would get all replies */

	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			senders[i][k] = open_sender(i ? hosts.server_ns : hosts.client_ns, k ? AF_INET6 : AF_INET);
	spind__drop_privileges();
	for (size_t i = 0; i < CASES; i++)
		run_case(&cases[i], obj, senders[cases[i].from_server][strchr(cases[i].send_to, ':') != NULL]);
	check_gro(obj, senders[0][0]);
	spin_object__close(obj);
	return 0;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	udp_hosts__hosts(&hosts);
	netns_shell("ethtool -K s0 gro on"); /* for UDP_GRO */
	spind__start(&spind, "");
	return spind__run_in_child(&spind, run_all);
}
