/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers on a program's own socket, by spind, of a user without privileges: for each kind of address that a UDP socket can have, a
 * datagram that a handler rewrites is read rewritten, one that it drops is not read, a reply leaves at XDP; without the handlers,
 * and on other sockets, all is as it was sent.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/net/xdp_pass.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define TRIES 5
#define PORT  7000

union address {
	struct sockaddr any;
	struct sockaddr_in ip4;
	struct sockaddr_in6 ip6;
};

/* As tests/handlers/datagrams/rewrite.c reads it. */
enum { NOTHING = 0, SET32 = 2, DROP_IT = 5 };
struct ask {
	uint8_t what, reply;
	uint16_t bytes, at, port;
	uint32_t value;
	uint32_t body[4];
};

static int server_ns, client_ns;
static struct spind spind;

static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("FAIL: ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
	exit(1);
}

static void make_network(void)
{
	char command[128];

	server_ns = netns_new();
	client_ns = netns_new();
	snprintf(command, sizeof(command), "ip link add c0 type veth peer name s0 netns /proc/%d/fd/%d", getpid(), server_ns);
	netns_shell(command);
	netns_shell("ip link set lo up && ip link set c0 up");
	netns_shell("ip addr add 10.9.0.2/24 dev c0 && ip addr add fd09::2/64 dev c0 nodad");
	netns_shell("ip route add 224.0.0.0/4 dev c0");
	xdp_pass__attach("c0");
	netns_enter(server_ns);
	netns_shell("ip link set lo up && ip link set s0 up");
	netns_shell("ip addr add 10.9.0.1/24 dev s0 && ip addr add fd09::1/64 dev s0 nodad");
}

static socklen_t make_address(const char *text, uint16_t port, union address *out)
{
	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, text, &out->ip4.sin_addr) == 1) {
		out->ip4.sin_family = AF_INET;
		out->ip4.sin_port = htons(port);
		return sizeof(out->ip4);
	}
	if (inet_pton(AF_INET6, text, &out->ip6.sin6_addr) != 1)
		die("%s is not an address", text);
	out->ip6.sin6_family = AF_INET6;
	out->ip6.sin6_port = htons(port);
	return sizeof(out->ip6);
}

/* The sender in a namespace, on port 7001. */
static int open_sender(int ns, const char *to)
{
	struct timeval wait = slow_wait(300);
	union address own;
	socklen_t bytes = make_address(strchr(to, ':') ? "::" : "0.0.0.0", PORT + 1, &own);
	const int one = 1;
	int fd;

	netns_enter(ns);
	fd = socket(own.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || (own.any.sa_family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one))) ||
	    bind(fd, &own.any, bytes) || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		die("no sender: %s", strerror(errno));
	netns_enter(server_ns);
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
	{ "a device", "0.0.0.0", "10.9.0.1", .device = 1 },
	{ "a group of sockets on a port", "10.9.0.1", "10.9.0.1", .reuse_port = 1 },
	{ "lo", "127.0.0.1", "127.0.0.1", .from_server = 1 },
	{ "another address of lo", "0.0.0.0", "127.0.0.9", .from_server = 1 },
	{ "lo, IPv6", "::1", "::1", .from_server = 1 },
	{ "an own address from the same host", "10.9.0.1", "10.9.0.1", .from_server = 1 },
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

static int open_receiver(const struct test_case *c, int sender)
{
	struct timeval wait = slow_wait(300);
	const int one = 1, no = 0;
	union address own, peer;
	socklen_t bytes = make_address(c->bind_to, PORT, &own), peer_bytes;
	int fd = socket(own.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)sender;
	if (own.any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, c->only_ip6 ? &one : &no, sizeof(one));
	if (c->reuse_port)
		setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
	if (c->device && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "s0", 3))
		die("%s: cannot bind to s0: %s", c->name, strerror(errno));
	if (fd < 0 || bind(fd, &own.any, bytes) || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		die("%s: cannot bind: %s", c->name, strerror(errno));
	if (c->group) {
		struct ip_mreq join = { .imr_multiaddr = own.ip4.sin_addr, .imr_interface.s_addr = inet_addr("10.9.0.1") };

		if (setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof(join)))
			die("%s: cannot join: %s", c->name, strerror(errno));
	}
	if (c->connected) {
		peer_bytes = make_address(own.any.sa_family == AF_INET ? "10.9.0.2"
					  : strchr(c->send_to, ':')    ? "fd09::2"
								       : "::ffff:10.9.0.2",
					  PORT + 1, &peer);
		if (connect(fd, &peer.any, peer_bytes))
			die("%s: cannot connect: %s", c->name, strerror(errno));
	}
	return fd;
}

static uint32_t serial = 1;

static void send_ask(const struct test_case *c, int sender, uint8_t what, uint8_t reply, struct ask *ask)
{
	union address to;
	socklen_t bytes = make_address(c->send_to, PORT, &to);

	*ask = (struct ask){ .what = what, .reply = reply, .bytes = htons(16), .at = htons(12), .value = htonl(0xfeedf00d) };
	ask->body[0] = ask->body[1] = htonl(serial++);
	if (sendto(sender, ask, sizeof(*ask), 0, &to.any, bytes) != sizeof(*ask))
		die("%s: cannot send: %s", c->name, strerror(errno));
}

/* Reads from one of the sockets what was sent as `ask`; earlier datagrams are skipped. Returns its bytes, 0: nothing came. */
static ssize_t read_ask(const int *fds, unsigned count, const struct ask *ask, struct ask *got)
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

/* 1: a datagram is read rewritten; 0: as it was sent. */
static int is_rewritten(const struct test_case *c, int sender, const int *fds, unsigned count)
{
	struct ask ask, got;

	for (int tries = 0; tries < TRIES; tries++) {
		send_ask(c, sender, SET32, 0, &ask);
		if (read_ask(fds, count, &ask, &got) != sizeof(got))
			continue;
		if (got.body[0] == htonl(0xfeedf00d))
			return 1;
		if (got.body[0] != ask.body[0])
			die("%s: %08x was read", c->name, ntohl(got.body[0]));
		return 0;
	}
	die("%s: nothing is read", c->name);
	return 0;
}

static void check_dropped(const struct test_case *c, int sender, const int *fds, unsigned count)
{
	struct ask dropped, got;

	send_ask(c, sender, DROP_IT, 0, &dropped);
	if (read_ask(fds, count, &dropped, &got))
		die("%s: what the handler dropped is read (%08x)", c->name, ntohl(got.body[0]));
}

static void check_reply(const struct test_case *c, int sender)
{
	struct ask ask, got;

	for (int tries = 0; tries < TRIES; tries++) {
		send_ask(c, sender, NOTHING, 1, &ask);
		while (recv(sender, &got, sizeof(got), 0) == 16)
			if (got.body[0] == ask.body[0])
				return;
	}
	die("%s: no reply comes", c->name);
}

static void run_case(const struct test_case *c, const struct spin_object *obj, int sender)
{
	struct spin_socket_opts opts = SPIN_SOCKET_OPTS;
	uint64_t packets[SPIN_REASON_COUNT];
	struct spin_ctx *ctx;
	int fds[2];
	unsigned count = 1;
	void *addr;
	size_t bytes;

	fds[0] = open_receiver(c, sender);
	if (c->reuse_port)
		fds[count++] = open_receiver(c, sender);
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
	/* a reply to a group has the group's address for a source, and on the same host it is nobody's */
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

static int run_all(void)
{
	struct spin_object *obj;
	int senders[2][2]; /* by namespace and family: of several sockets on a port one would get all replies */
	char path[512];

	if (built_object("rewrite", path, sizeof(path)) || spin_object__open(path, &obj))
		die("%s", spin_strerror_last());
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			senders[i][k] = open_sender(i ? server_ns : client_ns, k ? "::1" : "127.0.0.1");
	spind__drop_privileges();
	for (size_t i = 0; i < CASES; i++)
		run_case(&cases[i], obj, senders[cases[i].from_server][strchr(cases[i].send_to, ':') != NULL]);
	spin_object__close(obj);
	return 0;
}

int main(void)
{
	int status = 1;
	pid_t child;

	setvbuf(stdout, NULL, _IOLBF, 0);
	make_network();
	spind__start(&spind, "");
	child = fork();
	if (!child)
		exit(run_all());
	waitpid(child, &status, 0);
	spind__finish(&spind);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
