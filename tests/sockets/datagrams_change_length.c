/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests handlers of an ordinary user that deliver datagrams shorter or longer than they arrived (<spin/deliver.h>), to sockets of IPv4 and
 * IPv6 behind a veth, and on lo. The program must read exactly the bytes that the handlers meant, in their new length, whether the sender's
 * checksum is left to the interface, which the receiver does not check, or computed, which it does. Where the frame has no room for a
 * longer payload, the program reads nothing, and the datagram is counted as `segv`. After a detach datagrams arrive as they were sent. Run
 * by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/reason.h>

enum { CUT = 1, MADE = 2 }; /* tests/handlers/datagrams/lengths.h */

#define HEADER    8    /* struct ask there */
#define SENT_MOST 1400 /* fits the MTU */
#define BUFFER    1024
#define SURE_ROOM 192 /* bpf/room.h: for frames of an MTU of 1500, this much in any case */
#define TRIES     20  /* a busy machine may lose a datagram */

static struct route {
	const char *name, *to;
	int from_server; /* the sender is on the same host */
	int fd, from;    /* receives, sends */
} routes[] = {
	{ "IPv4", "10.9.0.1" },
	{ "IPv6", "fd09::1" },
	{ "lo", "127.0.0.1", .from_server = 1 },
};

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *lengths;

static uint64_t segv_count(const struct spin_ctx *ctx)
{
	uint64_t packets[SPIN_REASON_COUNT];

	spin_ctx__counters(ctx, packets);
	return packets[SPIN_REASON_SEGV];
}

/* Writes a request of `sent` bytes, of which the handlers deliver `bytes`, and what the program must read then. Returns its length. */
static unsigned make_request(uint8_t *request, unsigned sent, int what, unsigned bytes, uint8_t serial, uint8_t *expected)
{
	for (unsigned i = 0; i < sent; i++)
		request[i] = (uint8_t)(serial + 7 * i);
	request[0] = (uint8_t)what;
	request[1] = serial;
	request[2] = (uint8_t)(bytes >> 8);
	request[3] = (uint8_t)bytes;
	for (unsigned i = 0; i < bytes; i++)
		expected[i] = what == MADE ? (uint8_t)(serial + i) : i >= 4 && i < HEADER ? (uint8_t)~request[i] : request[i];
	return bytes;
}

/* Returns 1 if it arrives with these bytes, 0 if nothing does. Anything else ends the test. */
static int arrives(const struct route *r, const uint8_t *request, unsigned sent, const uint8_t *expected, unsigned bytes)
{
	union asks_address to;
	const socklen_t to_bytes = udp_hosts__address(r->to, UDP_HOSTS_PORT, &to);
	uint8_t got[65536];
	ssize_t read;

	if (sendto(r->from, request, sent, 0, &to.any, to_bytes) != (ssize_t)sent)
		die("%s: cannot send: %s", r->name, strerror(errno));
	read = recv(r->fd, got, sizeof(got), 0);
	if (read < 0)
		return 0;
	if ((unsigned)read != bytes || memcmp(got, expected, bytes))
		die("%s: a datagram of %u bytes is read as %zd bytes, not as %u, or as others", r->name, sent, read, bytes);
	return 1;
}

/* Tries until the datagram arrives or, if `may_lack_room`, is counted as dropped. Returns 1 if it has arrived. */
static int check(const struct route *r, const struct spin_ctx *ctx, unsigned sent, int what, unsigned bytes, int may_lack_room)
{
	static uint8_t serial;
	uint8_t request[SENT_MOST], expected[SENT_MOST];
	const uint64_t before = segv_count(ctx);

	for (int i = 0; i < TRIES; i++) {
		make_request(request, sent, what, bytes, ++serial, expected);
		if (arrives(r, request, sent, expected, bytes))
			return 1;
		if (segv_count(ctx) != before && !may_lack_room)
			die("%s: %u bytes in place of %u are dropped as without room", r->name, bytes, sent);
		if (segv_count(ctx) != before)
			return 0;
	}
	die("%s: %u bytes in place of %u never arrive, and are not counted", r->name, bytes, sent);
}

static void check_route(const struct route *r)
{
	uint8_t request[SENT_MOST], expected[SENT_MOST];
	struct spin_ctx *ctx = spind__attach(&spind, r->fd, lengths, NULL);
	int grown = 0, tried = 0;

	for (unsigned sent = HEADER; sent <= SENT_MOST; sent = sent * 2 + 3) {
		check(r, ctx, sent, CUT, 0, 0);
		check(r, ctx, sent, CUT, sent / 2 | 1, 0);
		check(r, ctx, sent, CUT, sent, 0);
		check(r, ctx, sent, MADE, sent < BUFFER ? sent : BUFFER, 0);
		check(r, ctx, sent, MADE, 1, 0);
		if (sent + SURE_ROOM <= BUFFER)
			check(r, ctx, sent, MADE, sent + SURE_ROOM, 0);
		if (sent < BUFFER) {
			grown += check(r, ctx, sent, MADE, BUFFER, 1);
			tried++;
		}
	}
	spin_ctx__destroy(ctx);
	for (unsigned i = 0;; i++) {
		make_request(request, 20, CUT, 9, (uint8_t)i, expected);
		if (arrives(r, request, 20, request, 20))
			break;
		if (i == TRIES)
			die("%s: nothing arrives after the detach", r->name);
	}
	printf("ok: %s; %d of %d frames had room for %d bytes\n", r->name, grown, tried, BUFFER);
}

static void open_sockets(struct route *r)
{
	const int family = strchr(r->to, ':') ? AF_INET6 : AF_INET;

	r->fd = udp_hosts__socket(&hosts, hosts.server_ns, family);
	udp_hosts__bind(r->fd, r->to, UDP_HOSTS_PORT);
	r->from = udp_hosts__socket(&hosts, r->from_server ? hosts.server_ns : hosts.client_ns, family);
}

static int run(void)
{
	spind__drop_privileges();
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
		check_route(&routes[i]);
	return 0;
}

int main(void)
{
	int err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	udp_hosts__hosts(&hosts);
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
		open_sockets(&routes[i]);
	lengths = built_open("lengths");
	for (int computed = 0; computed < 2; computed++) {
		printf("%s\n", computed ? "computed checksums" : "checksums that are left to the interface");
		if (computed) {
			netns_enter(hosts.client_ns);
			netns_shell("ethtool -K c0 tx off >/dev/null");
			netns_enter(hosts.server_ns);
		}
		spind__start(&spind, "");
		err = spind__run_in_child(&spind, run);
		if (err)
			return err;
	}
	return 0;
}
