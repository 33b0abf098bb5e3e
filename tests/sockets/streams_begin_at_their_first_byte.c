/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that handlers see a TCP connection from its first byte or not at all. A connection may use any of eight slots for handlers, which
 * its cookie (SO_COOKIE) selects. Nine connections of the same slots are opened: the ninth has no handlers. It must not get them later,
 * when a slot is free, because they would see its stream from the middle on; what they miss of it must be counted. The next connection must
 * have the slot. Run by tests/run.
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
#include "tests/common/traffic/tcp_pair.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define ADDRESS "127.0.0.1"
#define PORT    7118
#define GROUPS  (SPIN_STREAMS_MAX / SPIN_STREAM_WAYS) /* connections with the same cookie modulo this have the same slots */

static struct udp_hosts hosts;
static struct spind spind;
static int listener;
static struct lines *lines;

/* Returns spin_connections_missed() as a handler of this connection sees it. */
static uint32_t count_missed(const struct tcp_pair *c)
{
	tcp_pair__check_read("a connection with handlers", c, "\na", "\nA");
	return lines__load(&lines->missed);
}

static void check(void)
{
	struct tcp_pair with[SPIN_STREAM_WAYS] = { tcp_pair__open(listener) }, without, next;
	const uint64_t group = tcp_pair__group(&with[0], GROUPS);
	uint32_t missed;

	for (unsigned i = 1; i < SPIN_STREAM_WAYS; i++)
		with[i] = tcp_pair__open_in(listener, GROUPS, group);
	without = tcp_pair__open_in(listener, GROUPS, group);
	for (unsigned i = 0; i < SPIN_STREAM_WAYS; i++)
		tcp_pair__check_read("a connection with a slot", &with[i], "abc", "Abc");
	missed = count_missed(&with[1]);
	tcp_pair__check_read("a connection without one", &without, "abc\n", "abc\n");
	if (count_missed(&with[1]) != missed + 1)
		die("a piece that handlers have not seen is not counted");

	tcp_pair__close(&with[0]);
	lines__wait_for("a connection ends", &lines->ended, 1);
	missed = count_missed(&with[1]);
	tcp_pair__check_read("a connection without a slot, when one is free", &without, "def\n", "def\n");
	tcp_pair__check_read("the same again", &without, "ghi\n", "ghi\n");
	if (count_missed(&with[1]) != missed + 2)
		die("pieces that handlers have not seen are not counted");
	next = tcp_pair__open_in(listener, GROUPS, group);
	tcp_pair__check_read("the next connection", &next, "abc", "Abc");
	if (lines__load(&lines->begun) != SPIN_STREAM_WAYS + 1)
		die("%u streams have begun", lines__load(&lines->begun));
	tcp_pair__close(&next);
	tcp_pair__close(&without);
	for (unsigned i = 1; i < SPIN_STREAM_WAYS; i++)
		tcp_pair__close(&with[i]);
	lines__wait_for("all connections end", &lines->ended, SPIN_STREAM_WAYS + 1);
}

static int run(void)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket };
	struct spin_object *obj = built_open("lines");
	struct spin_ctx *ctx;

	spind__drop_privileges();
	listener = tcp_pair__listen(ADDRESS, PORT);
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
