/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A host forwards datagrams between two others, and an ordinary user of it has handlers on the same port, at any address, that make longer
 * payloads. The forwarded datagrams are not the user's. They must arrive, whatever their length, with right checksums, also if the sender
 * left the checksum to its interface and the outgoing interface computes none: room for longer payloads must not be made in them
 * (bpf/room.h). Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin.h>

#define PORT  7123
#define TRIES 20 /* a busy machine may lose a datagram */

static struct spind spind;
static struct spin_object *lengths;
static int sender, receiver, own;

/* Runs a command in a namespace, and stays there. */
__attribute__((format(printf, 2, 3))) static void run_in(int ns, const char *format, ...)
{
	char command[256];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	netns_enter(ns);
	netns_shell(command);
}

/* Makes a namespace with one end of a veth pair, `name`. The other end, `peer`, is in the namespace `router`. */
static int make_host(int router, const char *name, const char *peer, const char *address, const char *gateway)
{
	const int ns = netns_new();

	run_in(router, "ip link add %s type veth peer name %s netns /proc/%d/fd/%d", peer, name, (int)getpid(), ns);
	run_in(router, "ip addr add %s/24 dev %s", gateway, peer);
	run_in(router, "ip link set %s up", peer);
	run_in(ns, "ip addr add %s/24 dev %s", address, name);
	run_in(ns, "ip link set %s up", name);
	run_in(ns, "ip route add default via %s", gateway);
	return ns;
}

static int open_socket(int ns, const char *address, int port)
{
	const struct timeval wait = { .tv_usec = 300000 };
	int fd;

	netns_enter(ns);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		die("no socket: %s", strerror(errno));
	if (address)
		udp_hosts__bind(fd, address, (uint16_t)port);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	return fd;
}

/* Sends a datagram of this length through the host until it arrives. */
static void check_forwarded(const char *what, unsigned bytes)
{
	uint8_t sent[1472], got[2048];
	union asks_address to;
	const socklen_t to_bytes = udp_hosts__address("10.77.2.2", PORT, &to);

	for (unsigned i = 0; i < TRIES; i++) {
		for (unsigned at = 0; at < bytes; at++)
			sent[at] = (uint8_t)(at * 5 + i);
		if (sendto(sender, sent, bytes, 0, &to.any, to_bytes) != (ssize_t)bytes)
			die("cannot send: %s", strerror(errno));
		if (recv(receiver, got, sizeof(got), 0) == (ssize_t)bytes && !memcmp(sent, got, bytes))
			return;
	}
	die("%s: a forwarded datagram of %u bytes does not arrive", what, bytes);
}

static void check_all(const char *what)
{
	static const unsigned lengths_bytes[] = { 1, 20, 100, 500, 1000, 1400, 1472 };

	for (unsigned i = 0; i < sizeof(lengths_bytes) / sizeof(lengths_bytes[0]); i++)
		check_forwarded(what, lengths_bytes[i]);
	printf("ok: %s\n", what);
}

static int run(void)
{
	struct spin_ctx *ctx;

	spind__drop_privileges();
	check_all("without handlers");
	ctx = spind__attach(&spind, own, lengths, NULL);
	check_all("with handlers of the host's own");
	spin_ctx__destroy(ctx);
	return 0;
}

int main(void)
{
	int router = netns_new(), from, to;

	lengths = built_open("lengths");
	from = make_host(router, "a0", "ra", "10.77.1.2", "10.77.1.1");
	to = make_host(router, "b0", "rb", "10.77.2.2", "10.77.2.1");
	run_in(router, "sysctl -qw net.ipv4.ip_forward=1");
	run_in(router, "ethtool -K rb tx off >/dev/null");
	sender = open_socket(from, NULL, 0);
	receiver = open_socket(to, "10.77.2.2", PORT);
	own = open_socket(router, "0.0.0.0", PORT);
	run_in(router, "ip link set lo up");
	spind__start(&spind, "");
	return spind__run_in_child(&spind, run);
}
