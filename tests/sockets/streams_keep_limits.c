/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spind's settings hpu-time and events hold for handlers of TCP streams, on listening and connected sockets. Segments of a greedy program
 * are dropped before TCP has them, and sent again: all its bytes arrive in the end, each handled once. A polite program loses nothing, and
 * its requests are answered in the meantime. Run by tests/run.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "kernel/cpus.h"
#include "tests/common/built.h"
#include "tests/common/net/lines.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include "tests/common/traffic/tcp_pair.h"
#include <spin/libspin_socket.h>

#define PORT         7121
#define FLOOD_BYTES  (2u << 20)
#define REQUESTS     50
#define EVENTS       200  /* a second */
#define NOISY_PIECES 1500 /* of a byte each */

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *lines;

struct flood {
	struct tcp_pair pair;
	uint8_t *sent, *got;
	uint32_t got_bytes;
};

static void *send_flood(void *arg)
{
	const struct flood *f = arg;

	for (uint32_t at = 0; at < FLOOD_BYTES;) {
		const ssize_t count = send(f->pair.client, f->sent + at, FLOOD_BYTES - at, MSG_NOSIGNAL);

		if (count <= 0)
			die("cannot send: %s", strerror(errno));
		at += (uint32_t)count;
	}
	shutdown(f->pair.client, SHUT_WR);
	return NULL;
}

static void *read_flood(void *arg)
{
	struct flood *f = arg;
	ssize_t count;

	while ((count = recv(f->pair.server, f->got + f->got_bytes, FLOOD_BYTES - f->got_bytes, 0)) > 0)
		f->got_bytes += (uint32_t)count;
	return NULL;
}

struct info {
	uint64_t over, busy_ns;
};
static struct info polite, greedy;

static int store_info(void *arg, const struct spin_socket_info *info)
{
	struct info *to = !strcmp(info->name, "greedy") ? &greedy : &polite;

	(void)arg;
	*to = (struct info){ info->over, info->busy_ns };
	return 0;
}

static void read_infos(void)
{
	if (spin_socket__list(spind.socket, store_info, NULL))
		die("list: %s", spin_strerror_last());
}

/* --- CPU time --- */

static void check_requests(int listener)
{
	const struct tcp_pair pair = tcp_pair__open(listener);

	for (int i = 0; i < REQUESTS; i++) {
		tcp_pair__check_read("a request of the polite program", &pair, "abc\n", "Abc\n");
		usleep(2000);
		proc_progress();
	}
	tcp_pair__close(&pair);
}

static void check_flood(struct flood *f, const struct lines *state, const char *what)
{
	const uint32_t hash = lines__transform(f->sent, FLOOD_BYTES);
	const struct lines_connection *c = lines__only_one(state);

	if (f->got_bytes != FLOOD_BYTES || memcmp(f->sent, f->got, FLOOD_BYTES))
		die("%s: %u bytes of %u are read, or others", what, f->got_bytes, FLOOD_BYTES);
	if (c->bytes != FLOOD_BYTES || c->hash != hash)
		die("%s: the handlers have seen %u bytes of %u, or others", what, c->bytes, FLOOD_BYTES);
}

enum where { LISTENING, CONNECTED, MARKED };
static const char *const where_names[] = { "listening", "connected", "marked by a context that has ended" };

/*
 * With the handlers on the listening socket, or on a connection that it has accepted. Such a connection may carry the mark of another
 * context, which it had from the listening socket.
 */
static void check_time(const char *address, enum where where)
{
	const int on_connection = where != LISTENING;
	const int listener = tcp_pair__listen(address, PORT), polite_listener = tcp_pair__listen(address, PORT + 1);
	struct spin_ctx *polite_ctx = spind__attach(&spind, polite_listener, lines, "polite"), *ctx;
	struct flood f = { .sent = malloc(FLOOD_BYTES), .got = malloc(FLOOD_BYTES) };
	pthread_t sender, reader;
	uint64_t seed = 19;

	if (!f.sent || !f.got)
		die("no memory");
	lines__fill(&seed, f.sent, FLOOD_BYTES);
	if (where == MARKED)
		ctx = spind__attach(&spind, listener, lines, "first");
	if (on_connection)
		f.pair = tcp_pair__open(listener);
	if (where == MARKED)
		spin_ctx__destroy(ctx);
	ctx = spind__attach(&spind, on_connection ? f.pair.server : listener, lines, "greedy");
	if (!on_connection)
		f.pair = tcp_pair__open(listener);
	if (pthread_create(&sender, NULL, send_flood, &f) || pthread_create(&reader, NULL, read_flood, &f))
		die("no threads");
	check_requests(polite_listener);
	pthread_join(sender, NULL);
	pthread_join(reader, NULL);
	read_infos();
	printf("%s, %s: %llu segments of the greedy program were dropped, %llu of the polite one; %llu and %llu us in handlers\n", address,
	       where_names[where], (unsigned long long)greedy.over, (unsigned long long)polite.over,
	       (unsigned long long)greedy.busy_ns / 1000, (unsigned long long)polite.busy_ns / 1000);
	check_flood(&f, lines__state(ctx), address);
	if (!greedy.over)
		die("the greedy program has had more than its part");
	if (polite.over > greedy.over / 10) /* a busy machine may interrupt its handlers for longer than its part */
		die("segments of the polite program were dropped");
	if (!greedy.busy_ns || !polite.busy_ns)
		die("no time of handlers is counted");
	tcp_pair__close(&f.pair);
	spin_ctx__destroy(ctx);
	spin_ctx__destroy(polite_ctx);
	close(listener);
	close(polite_listener);
	free(f.sent);
	free(f.got);
	proc_progress();
}

/* --- events --- */

static void count_event(void *arg, const struct spin_event *event)
{
	(void)event;
	++*(uint64_t *)arg;
}

static double now_s(void)
{
	return (double)now_ns() / 1e9;
}

/* Each piece is refused by its payload handler, which leaves an event. */
static void check_events(void)
{
	const int one = 1, listener = tcp_pair__listen("127.0.0.1", PORT + 2);
	struct spin_ctx *ctx = spind__attach(&spind, listener, lines, "greedy");
	struct lines *state = lines__state(ctx);
	struct tcp_pair pair;
	uint64_t events = 0;
	double start_s, most;

	state->verdict = 'F';
	pair = tcp_pair__open(listener);
	setsockopt(pair.client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	start_s = now_s();
	for (int i = 0; i < NOISY_PIECES; i++) {
		if (send(pair.client, "x", 1, MSG_NOSIGNAL) != 1)
			die("cannot send: %s", strerror(errno));
		usleep(200);
		if (i % 20 == 0 && spin_ctx__events(ctx, count_event, &events) < 0)
			die("events: %s", spin_strerror_last());
	}
	if (spin_ctx__events(ctx, count_event, &events) < 0)
		die("events: %s", spin_strerror_last());
	/* for each tenth of a second that has begun: its share, and an event in progress on each CPU */
	most = ((now_s() - start_s) * 10 + 2) * (EVENTS / 10.0 + kernel_cpus__possible());
	read_infos();
	printf("%llu events in %.1f s, %llu segments were dropped\n", (unsigned long long)events, now_s() - start_s,
	       (unsigned long long)greedy.over);
	if ((double)events > most || events < EVENTS / 10 || !greedy.over)
		die("more events than %.0f, or none, or nothing was dropped", most);
	shutdown(pair.client, SHUT_WR);
	lines__wait_for("all bytes are handled, and the connection ends", &state->ended, 1);
	if (lines__only_one(state)->length != NOISY_PIECES || lines__only_one(state)->dropped_bytes != NOISY_PIECES)
		die("%u bytes of %u have arrived", lines__only_one(state)->length, NOISY_PIECES);
	tcp_pair__close(&pair);
	spin_ctx__destroy(ctx);
	close(listener);
}

static int run_time(void)
{
	spind__drop_privileges();
	check_time("127.0.0.1", LISTENING);
	check_time("::1", LISTENING);
	check_time("::ffff:127.0.0.1", LISTENING);
	check_time("127.0.0.1", CONNECTED);
	check_time("127.0.0.1", MARKED);
	return 0;
}

static int run_events(void)
{
	spind__drop_privileges();
	check_events();
	return 0;
}

int main(void)
{
	char settings[32];
	int status;

	setvbuf(stdout, NULL, _IOLBF, 0);
	udp_hosts__hosts(&hosts);
	lines = built_open("lines");
	spind__start(&spind, "hpu-time 5\n");
	status = spind__run_in_child(&spind, run_time);
	if (status)
		return status;
	snprintf(settings, sizeof(settings), "events %d\n", EVENTS);
	spind__start(&spind, settings);
	return spind__run_in_child(&spind, run_events);
}
