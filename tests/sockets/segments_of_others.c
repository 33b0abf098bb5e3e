/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that handlers of TCP segments on a user's socket do not see connections of others: those that another program accepted on the same
 * port earlier, whatever becomes of them, and those to another address or port. Another program's sockets are opened by root before this
 * process becomes an ordinary user, who then listens on the port and attaches handlers. Run by tests/run.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/segments.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

/* Connections of the other program. */
enum { OPEN, CLOSED_BY_SERVER, CLOSED_BY_CLIENT, RESET, GONE, CONNECTIONS };

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *segments;
static struct connection {
	int client, server;
} others[2][CONNECTIONS], elsewhere;

static void open_connection(struct connection *c, int listener, const char *address)
{
	c->client = segments__connect(&hosts, hosts.client_ns, address, SEGMENTS_PORT, 0);
	c->server = segments__accept(listener);
}

/* Opens connections to an address, and closes the listening socket. */
static void open_others(struct connection *c, const char *address)
{
	const int one = 1;
	int listener = segments__listen(&hosts, hosts.server_ns, address);

	for (int i = 0; i < CONNECTIONS; i++)
		open_connection(&c[i], listener, address);
	close(listener);
	if (setsockopt(c[GONE].server, IPPROTO_TCP, TCP_REPAIR, &one, sizeof(one))) /* its close sends nothing */
		die("no TCP_REPAIR: %s", strerror(errno));
}

static void send_secret(int fd)
{
	if (send(fd, "secret", 6, MSG_NOSIGNAL) != 6)
		die("cannot send: %s", strerror(errno));
}

/* Lets each connection of the other program end in its way, with data under way. */
static void use_others(struct connection *c)
{
	const struct linger hard = { .l_onoff = 1 };

	for (int i = 0; i < GONE; i++)
		segments__check("another program's connection", c[i].client, c[i].server, "secret", "secret");
	close(c[GONE].server);
	send_secret(c[GONE].client);
	close(c[CLOSED_BY_SERVER].server);
	usleep(50000); /* until the kernel keeps only a short form of it */
	send_secret(c[CLOSED_BY_SERVER].client);
	close(c[CLOSED_BY_CLIENT].client);
	setsockopt(c[RESET].client, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	close(c[RESET].client);
	usleep(300000); /* until what is not acknowledged has been sent again */
	close(c[CLOSED_BY_SERVER].client);
	close(c[GONE].client);
	usleep(50000);
	segments__check("another program's connection, in the end", c[OPEN].client, c[OPEN].server, "secret", "secret");
}

/* Returns how many packets the guard has let to the context's program, whether handlers ran for them or not. */
static uint64_t count_packets(const struct spin_ctx *ctx)
{
	uint64_t packets[SPIN_REASON_COUNT], sum = 0;

	spin_ctx__counters(ctx, packets);
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++)
		sum += packets[i];
	return sum;
}

static void check_seen(const char *what, const struct seg_socket *s, uint32_t connections)
{
	if (s->begun != connections || s->bytes != 2 * connections || s->ended != connections || s->foreign)
		die("%s: handlers saw %u connections, %u bytes and %u ends", what, s->begun, s->bytes, s->ended);
}

/* The user's own connection. */
static void use_own(int listener, const char *address, struct seg_socket *s, uint32_t number)
{
	struct connection own;

	open_connection(&own, listener, address);
	segments__check("the user's own connection", own.client, own.server, "ab", "AB");
	close(own.client);
	segments__wait_for("the user's own connection ends", &s->ended, number);
	close(own.server);
}

static void check_earlier(const char *listens, const char *address, struct connection *c)
{
	int listener = segments__listen(&hosts, hosts.server_ns, listens);
	struct spin_ctx *ctx = spind__attach(&spind, listener, segments, NULL);
	struct seg_socket *s = segments__state(ctx);
	uint64_t packets;

	s->port = SEGMENTS_PORT;
	use_own(listener, address, s, 1);
	usleep(50000); /* until the last segment has come */
	packets = count_packets(ctx);
	use_others(c);
	if (count_packets(ctx) != packets)
		die("%llu packets of another program reach the context", (unsigned long long)(count_packets(ctx) - packets));
	check_seen("a port that another program had", s, 1);
	use_own(listener, address, s, 2);
	check_seen("a port that another program had, afterwards", s, 2);
	spin_ctx__destroy(ctx);
	close(listener);
	printf("ok: %s: connections of the port's earlier owner are not seen\n", listens);
}

/* A socket that is closed, and another one on the port, before spind notices: the next program's connections are its own. */
static void check_next_owner(void)
{
	for (int i = 0; i < 5; i++) {
		int listener = segments__listen(&hosts, hosts.server_ns, "10.9.0.1"), next;
		struct spin_ctx *ctx = spind__attach(&spind, listener, segments, NULL);
		struct seg_socket *s = segments__state(ctx);
		struct connection c;

		close(listener);
		next = segments__listen(&hosts, hosts.server_ns, "10.9.0.1");
		open_connection(&c, next, "10.9.0.1");
		segments__check("the next program on the port", c.client, c.server, "secret", "secret");
		if (s->begun)
			die("handlers see connections of the next program on the port");
		spin_ctx__destroy(ctx);
		close(c.client);
		close(c.server);
		close(next);
	}
	printf("ok: connections of the port's next owner are not seen\n");
}

/* A duplicate of the descriptor keeps the socket and its handlers. */
static void check_duplicate(void)
{
	int listener = segments__listen(&hosts, hosts.server_ns, "10.9.0.1"), copy = dup(listener);
	struct spin_ctx *ctx = spind__attach(&spind, listener, segments, NULL);
	struct seg_socket *s = segments__state(ctx);

	s->port = SEGMENTS_PORT;
	close(listener);
	usleep(600000);
	use_own(copy, "10.9.0.1", s, 1);
	spin_ctx__destroy(ctx);
	close(copy);
	printf("ok: handlers stay while any descriptor of the socket is open\n");
}

/* As root: the sockets of the other program. */
static void open_sockets(void)
{
	int listener;

	segments__make_sockets(&hosts);
	listener = segments__listen(&hosts, hosts.server_ns, "10.9.0.3");
	open_connection(&elsewhere, listener, "10.9.0.3");
	close(listener);
	open_others(others[0], "10.9.0.1");
	open_others(others[1], "10.9.0.3");
}

static int run_all(void)
{
	open_sockets();
	spind__drop_privileges();
	check_earlier("10.9.0.1", "10.9.0.1", others[0]);
	check_earlier("0.0.0.0", "10.9.0.3", others[1]);
	check_next_owner();
	check_duplicate();
	segments__check("another address", elsewhere.client, elsewhere.server, "secret", "secret");
	return 0;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	udp_hosts__hosts(&hosts);
	netns_shell("ip addr add 10.9.0.3/24 dev s0");
	spind__start(&spind, "");
	segments = built_open("seg_socket");
	return spind__run_in_child(&spind, run_all);
}
