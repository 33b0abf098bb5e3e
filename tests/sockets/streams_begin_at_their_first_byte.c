/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A TCP connection may use any of eight slots for handlers, which its cookie (SO_COOKIE) selects. Nine connections of the same slots are
 * opened: the ninth has no handlers. It must not get them later, when a slot is free, because they would see its stream from the middle on;
 * what they miss of it must be counted. The next connection must have the slot. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bpf/abi/stream.h"
#include "tests/common/built.h"
#include "tests/common/net/lines.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define ADDRESS "127.0.0.1"
#define PORT    7118
#define GROUPS  (SPIN_STREAMS_MAX / SPIN_STREAM_WAYS) /* connections with the same cookie modulo this have the same slots */
#define TRIES   (40 * GROUPS)

struct connection {
	int client, server;
};

static struct udp_hosts hosts;
static struct spind spind;
static int listener;
static struct lines *lines;

static int open_listener(void)
{
	const int one = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	udp_hosts__bind(fd, ADDRESS, PORT);
	if (listen(fd, 16))
		die("cannot listen: %s", strerror(errno));
	return fd;
}

static void close_connection(const struct connection *c)
{
	close(c->client);
	close(c->server);
}

/* Opens a connection, and returns the number that is the same for all connections of the same slots. */
static uint64_t open_connection(struct connection *c)
{
	union asks_address to;
	socklen_t bytes = udp_hosts__address(ADDRESS, PORT, &to);
	uint64_t cookie;

	c->client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->client < 0 || connect(c->client, &to.any, bytes))
		die("cannot connect: %s", strerror(errno));
	c->server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	bytes = sizeof(cookie);
	if (c->server < 0 || getsockopt(c->server, SOL_SOCKET, SO_COOKIE, &cookie, &bytes))
		die("cannot accept: %s", strerror(errno));
	return cookie % GROUPS;
}

/* Opens a connection of these slots. Nothing is sent on the others, so they take no slot. */
static void open_in(uint64_t group, struct connection *c)
{
	for (unsigned i = 0; i < TRIES; i++) {
		if (open_connection(c) == group)
			return;
		close_connection(c);
	}
	die("no connection of the slots %llu", (unsigned long long)group);
}

static void check_read(const char *what, const struct connection *c, const char *sends, const char *reads)
{
	const struct timeval wait = { .tv_sec = 5 };
	const size_t bytes = strlen(reads);
	char got[16];

	setsockopt(c->server, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (send(c->client, sends, strlen(sends), MSG_NOSIGNAL) != (ssize_t)strlen(sends))
		die("%s: cannot send", what);
	if (recv(c->server, got, bytes, MSG_WAITALL) != (ssize_t)bytes || memcmp(got, reads, bytes))
		die("%s: not '%s' is read", what, reads);
}

/* Returns spin_connections_missed() as a handler of this connection sees it. */
static uint32_t count_missed(const struct connection *c)
{
	check_read("a connection with handlers", c, "\na", "\nA");
	return lines__load(&lines->missed);
}

static void check(void)
{
	struct connection with[SPIN_STREAM_WAYS], without, next;
	uint64_t group = open_connection(&with[0]);
	uint32_t missed;

	for (unsigned i = 1; i < SPIN_STREAM_WAYS; i++)
		open_in(group, &with[i]);
	open_in(group, &without);
	for (unsigned i = 0; i < SPIN_STREAM_WAYS; i++)
		check_read("a connection with a slot", &with[i], "abc", "Abc");
	missed = count_missed(&with[1]);
	check_read("a connection without one", &without, "abc\n", "abc\n");
	if (count_missed(&with[1]) != missed + 1)
		die("a piece that handlers have not seen is not counted");

	close_connection(&with[0]);
	lines__wait_for("a connection ends", &lines->ended, 1);
	missed = count_missed(&with[1]);
	check_read("a connection without a slot, when one is free", &without, "def\n", "def\n");
	check_read("the same again", &without, "ghi\n", "ghi\n");
	if (count_missed(&with[1]) != missed + 2)
		die("pieces that handlers have not seen are not counted");
	open_in(group, &next);
	check_read("the next connection", &next, "abc", "Abc");
	if (lines__load(&lines->begun) != SPIN_STREAM_WAYS + 1)
		die("%u streams have begun", lines__load(&lines->begun));
	close_connection(&next);
	close_connection(&without);
	for (unsigned i = 1; i < SPIN_STREAM_WAYS; i++)
		close_connection(&with[i]);
	lines__wait_for("all connections end", &lines->ended, SPIN_STREAM_WAYS + 1);
}

static int run(void)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket };
	struct spin_object *obj = built_open("lines");
	struct spin_ctx *ctx;

	spind__drop_privileges();
	listener = open_listener();
	if (spin_socket__attach(listener, obj, &opts, &ctx))
		die("%s", spin_strerror_last());
	lines = lines__state(ctx);
	check();
	spin_ctx__destroy(ctx);
	close(listener);
	return 0;
}

int main(void)
{
	udp_hosts__hosts(&hosts);
	spind__start(&spind, "");
	return spind__run_in_child(&spind, run);
}
