/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests handlers of TCP segments in front of the kernel's TCP, in both load classes, over a link that loses, duplicates and reorders
 * frames, while the handlers themselves drop payloads: each connection must begin and end once, its length must be exact, and the
 * application must read what was sent. Then attackers on the same link: a flood of SYNs from random addresses, and forged segments with the
 * addresses and ports of a live connection, which must neither end its state nor begin it again. Uses namespaces of its own. Run by
 * tests/run.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <spin/wire.h>

#include "tests/common/attached.h"
#include "tests/common/net/lossy.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/random.h"
#include "tests/handlers/segments/seg_live.h"
#include "tests/segments/echo.h"
#include "tests/segments/inject.h"

#define PORT         9000u
#define CLIENTS      4u
#define EACH         4u /* connections of a client, one after the other */
#define BYTES        200000u
#define FLOOD        20000u
#define RESETS       5u
#define RULE         "tcp dport 9000"
#define WAIT_SECONDS (20 * slow_factor())

static const struct lossy_rates bad = { .lose = 1, .twice = 2, .hold = 5, .reach = 8 };

static struct lossy link_;
static struct echo echo;
static volatile struct seg_live *state;
static const char *class_name;
static struct injector near_end;

static void fail(const char *what)
{
	printf("FAIL: %s: %s (last reason: %s)\n", class_name, what, spin_strerror_last());
	printf("begun %u, ended %u, resets %u, payloads %u, dropped %u, length %u; watched: %u, %u, %u\n", state->begun, state->ended,
	       state->resets, state->payloads, state->dropped, state->length, state->watched_begun, state->watched_ended,
	       state->watched_length);
	lossy__print(&link_);
	exit(1);
}

static void wait_for(const volatile uint32_t *at, uint32_t value, const char *what)
{
	for (int i = 0; *at != value && i < 100 * WAIT_SECONDS; i++)
		usleep(10000);
	if (*at != value)
		fail(what);
}

static void *client(void *arg)
{
	uint64_t random = 7 + (uint64_t)(uintptr_t)arg;
	uint16_t port;

	netns_enter(link_.near_ns);
	for (unsigned i = 0; i < EACH; i++) {
		int fd = echo__connect(&echo, &port);

		echo__exchange(fd, &random, BYTES / EACH);
		echo__finish(fd);
	}
	return NULL;
}

static void transfers(void)
{
	pthread_t thread[CLIENTS];

	state->drop_every = 50;
	for (uintptr_t i = 0; i < CLIENTS; i++)
		if (pthread_create(&thread[i], NULL, client, (void *)i))
			fail("no thread");
	for (unsigned i = 0; i < CLIENTS; i++)
		pthread_join(thread[i], NULL);
	wait_for(&state->ended, CLIENTS * EACH, "not every connection ends once");
	printf("%s: %u connections, %u payloads for %u bytes, %u dropped by the handler\n", class_name, state->begun, state->payloads,
	       state->length, state->dropped);
	if (state->begun != CLIENTS * EACH || state->resets)
		fail("not every connection begins once");
	if (state->length != CLIENTS * (BYTES / EACH) * EACH)
		fail("the lengths are wrong");
	if (!state->dropped || !state->dropped_bytes)
		fail("the handler has dropped nothing");
	state->drop_every = 0;
}

/* --- attackers --- */

/* As the connection's own, by a sender that does not see its sequence numbers. */
static void forge(const struct segref_key *key, uint64_t *random)
{
	injector__send(&near_end, key, (uint32_t)random_next(random), SPIN_TCP_SYN, 0);
	injector__send(&near_end, key, (uint32_t)random_next(random), SPIN_TCP_RST, 0);
	injector__send(&near_end, key, (uint32_t)random_next(random), SPIN_TCP_ACK, 100);
	injector__send(&near_end, key, (uint32_t)random_next(random), SPIN_TCP_ACK | SPIN_TCP_FIN, 0);
}

static void attacks(void)
{
	/* 198.18.0.0/15 is for benchmarks (RFC 2544) and not routed: the answers go nowhere */
	struct segref_key stranger = injector__key("198.18.0.0", 0, FAR_ADDR, PORT), own;
	uint64_t random = 11;
	uint32_t begun = state->begun, ended = state->ended;
	uint16_t port;
	int fd = echo__connect(&echo, &port);

	own = injector__key(NEAR_ADDR, port, FAR_ADDR, PORT);
	state->watched = port;
	state->watched_begun = state->watched_ended = state->watched_length = 0;
	echo__exchange(fd, &random, BYTES / EACH);
	for (unsigned i = 0; i < FLOOD; i++) {
		const uint16_t other = (uint16_t)random_next(&random);

		stranger.src[2] = (uint8_t)random_next(&random);
		stranger.src[3] = (uint8_t)random_next(&random);
		stranger.src_port = other == port ? (uint16_t)(port ^ 1) : other;
		injector__send(&near_end, &stranger, (uint32_t)random_next(&random), SPIN_TCP_SYN, 0);
		if (i % 64 == 0)
			forge(&own, &random);
	}
	echo__exchange(fd, &random, BYTES / EACH);
	echo__finish(fd);
	wait_for(&state->watched_ended, 1, "a connection under attack does not end");
	printf("%s: %u connections begun by a flood; the watched one: %u begun, %u bytes\n", class_name, state->begun - begun,
	       state->watched_begun, state->watched_length);
	if (state->watched_begun || state->watched_length != 2 * (BYTES / EACH))
		fail("a forged segment has changed a connection's state");
	if (state->begun - begun < SPIN_CONNECTIONS_MAX)
		fail("the flood was too small");
	ended = state->ended;
	fd = echo__connect(&echo, &port);
	echo__exchange(fd, &random, BYTES / EACH);
	echo__finish(fd);
	wait_for(&state->ended, ended + 1, "a connection after the flood does not end");
}

/* Connections that are reset by their client end, too. A reset is sent once, and the link may lose it: of most it loses none. */
static void reset(void)
{
	const struct linger at_once = { .l_onoff = 1 };
	const uint32_t resets = state->resets;
	uint64_t random = 13;
	uint16_t port;

	for (unsigned i = 0; i < RESETS; i++) {
		int fd = echo__connect(&echo, &port);

		echo__exchange(fd, &random, 1000);
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		close(fd);
	}
	for (int i = 0; state->resets - resets <= RESETS / 2 && i < 100 * WAIT_SECONDS; i++)
		usleep(10000);
	if (state->resets - resets <= RESETS / 2 || state->resets - resets > RESETS)
		fail("a reset does not end its connection once");
}

static void run(enum spin_class class)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
	struct spin_ctx *ctx = NULL;
	struct spin_nic *nic;
	const char *failed;
	uint8_t far_mac[6];
	size_t bytes;

	class_name = class == SPIN_CLASS_ISOLATED ? "isolated" : "trusted";
	netns_enter(link_.far_ns);
	injector__address(FAR_DEV, far_mac);
	if (spin_nic__open(FAR_DEV, &nic))
		fail("no interface");
	failed = attached__context(&ctx, nic, "seg_live", RULE, &opts);
	if (failed || spin_ctx__symbol(ctx, "spin_state", (void **)&state, &bytes) || bytes != sizeof(*state))
		fail(failed ? failed : "the state of seg_live");
	netns_enter(link_.near_ns);
	echo__start(&echo);
	injector__open(&near_end, NEAR_DEV, far_mac);
	transfers();
	attacks();
	reset();
	injector__close(&near_end);
	echo__stop(&echo);
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
}

int main(void)
{
	static struct seg_live none;

	state = &none;
	class_name = "link";
	lossy__open(&link_, bad, bad, 5);
	echo = (struct echo){ .near_ns = link_.near_ns, .far_ns = link_.far_ns, .port = PORT, .wait_seconds = WAIT_SECONDS };
	run(SPIN_CLASS_TRUSTED);
	run(SPIN_CLASS_ISOLATED);
	lossy__close(&link_);
	return 0;
}
