/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests what one context (attached handlers) of TCP streams leaves behind: others, and its own later connections, must not suffer from it.
 * Connections beyond the 1024 that a context may have outlive it, get handlers of their own and end: the next context has the same place in
 * the tables, and its connections must still have handlers. A connection whose context was created and never attached must be free for
 * another one, and must keep no other context alive. Handlers that the work limit ends, at the bytes or at the end of a connection, keep
 * one of few units (buffers for handlers that run): other connections' bytes must still be read, and must have handlers again later. A
 * program whose connections end all the time must not hold up the ends of another's. Run by tests/run.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

#define ADDRESS     "127.0.0.1"
#define PORT        7119                                  /* of the first listening socket; the next ones follow */
#define SURPLUS     3                                     /* connections beyond a context's share */
#define GROUPS      (SPIN_STREAMS_MAX / SPIN_STREAM_WAYS) /* connections with the same cookie modulo this have the same slots */
#define OTHERS      200                                   /* connections of a polite program */
#define ENDLESS_MAX 64                                    /* connections whose handlers are ended, until no unit is free */
#define WAIT_MS     15000                                 /* more than SPIN_UNIT_TICKS last with any kernel */
#define FREED_US    500000                                /* spind removes a context from its list before it frees the context's place */

/* Same layout as in tests/handlers/streams/endless_end.c. */
struct endless_end {
	uint32_t rounds, pieces, ends, missed, loops[SPIN_STREAMS_MAX];
};

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *lines, *endless;

/* --- sockets and contexts --- */

static int try_attach(int fd, const struct spin_object *obj, int detached, struct spin_ctx **ctx)
{
	const struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket, .detached = detached };

	return spin_socket__attach(fd, obj, &opts, ctx);
}

static struct spin_ctx *attach(int fd, const struct spin_object *obj, int detached)
{
	struct spin_ctx *ctx;

	if (try_attach(fd, obj, detached, &ctx))
		die("%s", spin_strerror_last());
	return ctx;
}

static int is_context(void *arg, const struct spin_socket_info *info)
{
	return info->id == *(const uint32_t *)arg;
}

/* Ends a context, and waits until spind has freed its place. */
static void end_context(struct spin_ctx *ctx)
{
	uint32_t id = spin_socket__id(ctx);

	spin_ctx__destroy(ctx);
	for (int ms = 0; spin_socket__list(spind.socket, is_context, &id); ms += 10) {
		if (ms >= WAIT_MS)
			die("a context does not end");
		usleep(10000);
	}
	usleep(FREED_US);
}

static void send_text(const struct tcp_pair *c, const char *text)
{
	if (send(c->client, text, strlen(text), MSG_NOSIGNAL) != (ssize_t)strlen(text))
		die("cannot send: %s", strerror(errno));
}

/* --- a connection beyond its context's share --- */

/* Gives the connection handlers of its own, and closes it while it has them. */
static void end_with_own_handlers(const struct tcp_pair *c)
{
	struct spin_ctx *own = attach(c->server, lines, 0);
	const struct lines *state = lines__state(own);

	tcp_pair__check_read("a connection that gets handlers later", c, "abc", "Abc");
	tcp_pair__close(c);
	lines__wait_for("a connection with handlers of its own ends", &state->ended, 1);
	spin_ctx__destroy(own);
}

/* The next context has as many connections as it may: one more must have no handlers, and be counted, after others' have ended. */
static void check_full(int listener, const struct lines *state, const struct tcp_pair *surplus)
{
	static struct tcp_pair own[SPIN_STREAMS_MAX + 1];
	uint32_t missed;

	for (unsigned i = 0; i < SPIN_STREAMS_MAX; i++)
		own[i] = tcp_pair__open(listener);
	tcp_pair__check_read("the first of many connections", &own[0], "abc", "Abc");
	missed = lines__load(&state->missed);
	for (unsigned i = 0; i < SURPLUS; i++)
		end_with_own_handlers(&surplus[i]);
	own[SPIN_STREAMS_MAX] = tcp_pair__open(listener);
	tcp_pair__check_read("a connection beyond the next context's share", &own[SPIN_STREAMS_MAX], "abc", "abc");
	tcp_pair__check_read("the first of many connections", &own[0], "\na", "\nA");
	if (lines__load(&state->missed) == missed)
		die("connections of another context have made room for more than a context's share");
	for (unsigned i = 0; i <= SPIN_STREAMS_MAX; i++)
		tcp_pair__close(&own[i]);
}

static void check_surplus(void)
{
	static struct tcp_pair many[SPIN_STREAMS_MAX + 2 * SURPLUS];
	int listener = tcp_pair__listen(ADDRESS, PORT + 1), next_listener = tcp_pair__listen(ADDRESS, PORT + 2);
	struct spin_ctx *ctx = attach(listener, lines, 0), *next;
	struct tcp_pair c;
	struct lines *state;

	for (unsigned i = 0; i < SPIN_STREAMS_MAX + 2 * SURPLUS; i++)
		many[i] = tcp_pair__open(listener);
	tcp_pair__check_read("a connection beyond the share", &many[SPIN_STREAMS_MAX], "abc", "abc");
	end_context(ctx);
	next = attach(next_listener, lines, 0);
	state = lines__state(next);
	for (unsigned i = 0; i < SURPLUS; i++)
		end_with_own_handlers(&many[SPIN_STREAMS_MAX + i]);
	for (uint32_t i = 1; i <= SURPLUS; i++) {
		c = tcp_pair__open(next_listener);
		tcp_pair__check_read("a connection of the next context", &c, "abc", "Abc");
		tcp_pair__close(&c);
		lines__wait_for("connections of the next context begin", &state->begun, i);
		lines__wait_for("connections of the next context end", &state->ended, i);
	}
	check_full(next_listener, state, &many[SPIN_STREAMS_MAX + SURPLUS]);
	for (unsigned i = 0; i < SPIN_STREAMS_MAX; i++)
		tcp_pair__close(&many[i]);
	end_context(next);
	close(next_listener);
	close(listener);
}

/* --- a context that was created and never attached --- */

static void check_never_attached(void)
{
	int plain = tcp_pair__listen(ADDRESS, PORT + 1), listener = tcp_pair__listen(ADDRESS, PORT + 2);
	struct tcp_pair c = tcp_pair__open(plain);
	struct spin_ctx *ctx;

	end_context(attach(c.server, lines, 1));
	if (try_attach(c.server, lines, 0, &ctx))
		die("a connection cannot have handlers after a context that was never attached: %s", spin_strerror_last());
	tcp_pair__check_read("a connection has handlers after a context that was never attached", &c, "abc", "Abc");
	end_context(ctx);
	tcp_pair__close(&c);

	c = tcp_pair__open(plain); /* it stays open, and its place goes to the context of the listening socket */
	end_context(attach(c.server, lines, 1));
	ctx = attach(listener, lines, 0);
	close(listener);
	for (int ms = 0; spin_ctx__alive(ctx) >= 0; ms += 10) {
		if (ms >= WAIT_MS)
			die("a connection of a context that has ended keeps another one alive");
		usleep(10000);
	}
	spin_ctx__destroy(ctx);
	tcp_pair__close(&c);
	close(plain);
}

/* --- handlers that the work limit ends --- */

static struct endless_end *endless_state(struct spin_ctx *ctx)
{
	void *state;
	size_t bytes;

	if (spin_ctx__symbol(ctx, "spin_state", &state, &bytes) || bytes != sizeof(struct endless_end))
		die("no state of endless_end: %s", spin_strerror_last());
	return state;
}

/* Sends 'x', which no application reads if a handler loops at it. Returns 1 if it is read: no unit was free. */
static int is_passed(const struct tcp_pair *c, const struct endless_end *state)
{
	const uint32_t before = lines__load(&state->pieces);
	struct pollfd wait = { .fd = c->server, .events = POLLIN };
	char got;

	send_text(c, "x");
	for (int ms = 0; lines__load(&state->pieces) == before; ms++) {
		if (poll(&wait, 1, 1) > 0)
			return recv(c->server, &got, 1, MSG_DONTWAIT) == 1;
		if (ms >= WAIT_MS)
			die("with all units taken, bytes are dropped that no handler has seen");
	}
	return 0;
}

/* Sends one piece, which must be read. Returns 1 if handlers have seen it. */
static int is_handled(const struct tcp_pair *c, const struct endless_end *state)
{
	const uint32_t before = lines__load(&state->pieces);

	tcp_pair__check_read("another connection, while handlers have been ended", c, "hello", "hello");
	return lines__load(&state->pieces) != before;
}

static void check_units(void)
{
	int listener = tcp_pair__listen(ADDRESS, PORT + 1);
	struct spin_ctx *ctx = attach(listener, endless, 0);
	struct endless_end *state = endless_state(ctx);
	struct tcp_pair idle[ENDLESS_MAX], late, other = tcp_pair__open(listener);
	uint32_t missed, passed = 0;
	unsigned count = 0;
	int begins;

	if (!is_handled(&other, state))
		die("the first connection has no handlers");
	missed = lines__load(&state->missed);
	while (!passed) {
		if (count == ENDLESS_MAX)
			die("%u handlers were ended, and there are still free units", count);
		idle[count] = tcp_pair__open(listener);
		passed = (uint32_t)is_passed(&idle[count++], state);
	}
	late = tcp_pair__open(listener);
	begins = is_handled(&late, state); /* 1 only if a unit was free again already */
	passed += !begins;
	for (int ms = 0; !is_handled(&other, state); ms += 50) {
		passed++;
		if (ms >= WAIT_MS)
			die("no unit of a handler that was ended is free again");
		usleep(50000);
	}
	if (lines__load(&state->missed) - missed != passed)
		die("%u pieces had no handlers, and %u are counted", passed, lines__load(&state->missed) - missed);
	for (unsigned i = 0; i < 2 * SPIN_UNIT_TRIES; i++)
		if (!is_handled(&other, state))
			die("a unit that was free again is not");
	if (is_handled(&late, state) != begins)
		die("handlers see a connection from the middle on, because no unit was free when it began");
	for (unsigned i = 0; i < count; i++)
		tcp_pair__close(&idle[i]);
	tcp_pair__close(&late);
	tcp_pair__close(&other);
	end_context(ctx);
	close(listener);
}

/* As many connections as share slots end, each in a handler that is ended. Three times: the next ones need the slots and units. */
static void check_ends(void)
{
	int listener = tcp_pair__listen(ADDRESS, PORT + 1);
	struct spin_ctx *ctx = attach(listener, endless, 0);
	struct endless_end *state = endless_state(ctx);
	struct tcp_pair c[SPIN_STREAM_WAYS];

	for (uint32_t round = 0, ends = 0; round < 3; round++) {
		for (unsigned i = 0; i < SPIN_STREAM_WAYS; i++) {
			const uint32_t before = lines__load(&state->pieces);

			c[i] = tcp_pair__open_in(listener, GROUPS, 0);
			tcp_pair__check_read("a connection whose end loops", &c[i], "e", "e");
			if (lines__load(&state->pieces) == before)
				die("after %u completion handlers that were ended, a connection has no handlers", ends + i);
		}
		for (unsigned i = 0; i < SPIN_STREAM_WAYS; i++)
			tcp_pair__close(&c[i]);
		ends += SPIN_STREAM_WAYS;
		lines__wait_for("completion handlers that are ended begin", &state->ends, ends);
	}
	end_context(ctx);
	close(listener);
}

static volatile int stop;

static void *open_and_close(void *arg)
{
	const int *listener = arg;

	while (!stop) {
		const struct tcp_pair pair = tcp_pair__open(*listener);

		send(pair.client, "e", 1, MSG_NOSIGNAL);
		tcp_pair__close(&pair);
	}
	return NULL;
}

/* A program's connections end all the time, each in a handler that is ended: those of another one end in time, and all have handlers. */
static void check_ends_of_others(void)
{
	int greedy_listener = tcp_pair__listen(ADDRESS, PORT + 1), listener = tcp_pair__listen(ADDRESS, PORT + 2);
	struct spin_ctx *greedy = attach(greedy_listener, endless, 0), *ctx = attach(listener, lines, 0);
	struct lines *state = lines__state(ctx);
	pthread_t thread;

	if (pthread_create(&thread, NULL, open_and_close, &greedy_listener))
		die("no thread");
	for (unsigned i = 0; i < OTHERS; i++) {
		const struct tcp_pair pair = tcp_pair__open(listener);

		tcp_pair__check_read("a connection beside a program whose connections end", &pair, "abc", "Abc");
		tcp_pair__close(&pair);
		usleep(10000);
		proc_progress();
	}
	lines__wait_for("connections beside a program whose connections end", &state->ended, OTHERS);
	stop = 1;
	pthread_join(thread, NULL);
	if (!lines__load(&endless_state(greedy)->ends))
		die("no connection of the greedy program has ended");
	end_context(ctx);
	end_context(greedy);
	close(greedy_listener);
	close(listener);
}

static int run(void)
{
	int listener;
	struct spin_ctx *keeper;

	spind__drop_privileges();
	listener = tcp_pair__listen(ADDRESS, PORT);
	keeper = attach(listener, lines, 0); /* spind's process for this namespace, and its tables, must stay */
	check_surplus();
	printf("ok: connections beyond a context's share\n");
	check_never_attached();
	printf("ok: a context that was never attached\n");
	check_units();
	printf("ok: handlers that are ended\n");
	check_ends();
	printf("ok: completion handlers that are ended\n");
	check_ends_of_others();
	printf("ok: ends of others\n");
	spin_ctx__destroy(keeper);
	close(listener);
	return 0;
}

/* All on one CPU, because a CPU's programs look at SPIN_UNIT_TRIES units, whatever there are. */
static void stay_on_one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("cannot stay on a CPU: %s", strerror(errno));
}

int main(void)
{
	const struct rlimit limit = { 8192, 8192 };

	setvbuf(stdout, NULL, _IOLBF, 0);
	stay_on_one_cpu();
	udp_hosts__hosts(&hosts);
	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("cannot have so many sockets: %s", strerror(errno));
	spind__start(&spind, "");
	lines = built_open("lines");
	endless = built_open("endless_end");
	return spind__run_in_child(&spind, run);
}
