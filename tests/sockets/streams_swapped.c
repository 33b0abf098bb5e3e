/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The handlers of a TCP socket are replaced, many times, while its connections send as fast as they can (tests/handlers/streams/marks.h).
 * Each byte must be handled once, in order, by the old or the new handlers; state must stay; connections that begin and end during it must
 * do so once. Handlers that cannot replace them are refused, and the old ones go on. Run by tests/run.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/lines.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include "tests/common/traffic/tcp_pair.h"
#include <spin/libspin_socket.h>

#define ADDRESS     "127.0.0.1"
#define PORT        7119
#define SWAPS       40
#define FLOWS       3
#define PIECE       60000u
#define SHORT_BYTES 100000u
#define LOW_BITS    0x3fu
#define CONNECTIONS 1024 /* SPIN_CONNECTIONS_MAX */

/* Same layout as in the handlers. */
struct marks {
	uint32_t begun, ended, missed, completed_by;
	struct marked_connection {
		uint32_t begun, ended, bytes, length, dropped_bytes;
	} connection[CONNECTIONS];
};

static const uint8_t mark[2] = { 0x40, 0x80 };
static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *handlers[2];
static int listener, stop;
static struct marks *marks;
static uint32_t id;

/* --- connections --- */

struct flow {
	struct tcp_pair pair;
	pthread_t writer, reader;
	uint64_t most; /* bytes to send at most */
	uint64_t sent, read, changes;
};

static uint8_t byte_at(uint64_t at)
{
	return at % 61; /* prime, so that pieces in a wrong order are noticed; less than LOW_BITS */
}

static void *write_flow(void *arg)
{
	struct flow *f = arg;
	uint8_t bytes[PIECE];

	while (f->sent < f->most && !__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		const size_t count = f->most - f->sent < sizeof(bytes) ? (size_t)(f->most - f->sent) : sizeof(bytes);

		for (size_t i = 0; i < count; i++)
			bytes[i] = byte_at(f->sent + i);
		if (send(f->pair.client, bytes, count, MSG_NOSIGNAL) != (ssize_t)count)
			die("cannot send: %s", strerror(errno));
		f->sent += count;
	}
	shutdown(f->pair.client, SHUT_WR);
	return NULL;
}

static void *read_flow(void *arg)
{
	struct flow *f = arg;
	uint8_t bytes[PIECE], last = 0;
	ssize_t count;

	while ((count = recv(f->pair.server, bytes, sizeof(bytes), 0)) > 0) {
		for (ssize_t i = 0; i < count; i++) {
			const uint8_t by = bytes[i] & (uint8_t)~LOW_BITS;

			if ((bytes[i] & LOW_BITS) != byte_at(f->read + (uint64_t)i))
				die("byte %llu of a stream is another one", (unsigned long long)f->read + (unsigned long long)i);
			if (by != mark[0] && by != mark[1])
				die("byte %llu was handled by %s", (unsigned long long)f->read + (unsigned long long)i,
				    by ? "both" : "nobody");
			f->changes += last && by != last;
			last = by;
		}
		f->read += (uint64_t)count;
	}
	return NULL;
}

static void begin_flow(struct flow *f, uint64_t most)
{
	*f = (struct flow){ .pair = tcp_pair__open(listener), .most = most };
	if (pthread_create(&f->writer, NULL, write_flow, f) || pthread_create(&f->reader, NULL, read_flow, f))
		die("no threads");
}

static void end_flow(struct flow *f)
{
	pthread_join(f->writer, NULL);
	pthread_join(f->reader, NULL);
	tcp_pair__close(&f->pair);
	if (f->read != f->sent)
		die("%llu bytes were sent, %llu read", (unsigned long long)f->sent, (unsigned long long)f->read);
}

/* Opens short connections, one after the other, and returns their number. */
static void *open_short_flows(void *arg)
{
	uint32_t *count = arg;
	struct flow f;

	for (*count = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); ++*count) {
		begin_flow(&f, SHORT_BYTES);
		end_flow(&f);
	}
	return NULL;
}

/* --- checks --- */

static void swap_to(int which)
{
	if (spin_socket__swap(id, handlers[which], spind.socket))
		die("handlers are not replaced: %s", spin_strerror_last());
}

/* A new byte must have these handlers. */
static void check_mark(const char *what, const struct tcp_pair *pair, int which)
{
	const char reads[] = { (char)(1 | mark[which]), '\0' };

	tcp_pair__check_read(what, pair, "\1", reads);
}

/* The handlers must have seen all bytes of the flow, and have completed it. */
static void check_counted(const struct flow *f)
{
	for (unsigned i = 0; i < CONNECTIONS; i++) {
		const struct marked_connection *c = &marks->connection[i];

		if (c->begun == c->ended && c->bytes == (uint32_t)f->sent && c->length == (uint32_t)f->sent && !c->dropped_bytes)
			return;
	}
	die("no connection has the %llu bytes of a flow", (unsigned long long)f->sent);
}

static void check_under_load(void)
{
	const struct tcp_pair probe = tcp_pair__open(listener);
	struct flow flow[FLOWS];
	pthread_t short_flows;
	uint32_t short_count;

	for (unsigned i = 0; i < FLOWS; i++)
		begin_flow(&flow[i], 3ull << 30);
	if (pthread_create(&short_flows, NULL, open_short_flows, &short_count))
		die("no threads");
	for (int i = 0; i < SWAPS; i++) {
		check_mark("before a swap", &probe, i % 2);
		swap_to((i + 1) % 2);
		check_mark("after a swap", &probe, (i + 1) % 2);
		proc_progress();
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(short_flows, NULL);
	for (unsigned i = 0; i < FLOWS; i++)
		end_flow(&flow[i]);
	tcp_pair__close(&probe);
	lines__wait_for("all connections have ended", &marks->ended, FLOWS + short_count + 1);
	for (unsigned i = 0; i < FLOWS; i++) {
		printf("%llu bytes, %llu changes of handlers\n", (unsigned long long)flow[i].sent, (unsigned long long)flow[i].changes);
		if (flow[i].changes < SWAPS / 4)
			die("too few bytes came between the swaps for this test to mean anything");
		check_counted(&flow[i]);
	}
	if (marks->begun != marks->ended || marks->missed)
		die("%u connections have begun, %u ended; %u pieces were missed", marks->begun, marks->ended, marks->missed);
}

/* A connection is completed by the handlers that are there when it ends. */
static void check_completion(void)
{
	const uint32_t ended = lines__load(&marks->ended);
	const struct tcp_pair pair = tcp_pair__open(listener);

	check_mark("a connection", &pair, 0);
	swap_to(1);
	tcp_pair__close(&pair);
	lines__wait_for("a connection has ended after a swap", &marks->ended, ended + 1);
	if (lines__load(&marks->completed_by) != mark[1])
		die("the completion handler is the old one");
}

static void check_detached(struct spin_ctx *ctx)
{
	const struct tcp_pair before = tcp_pair__open(listener);
	struct tcp_pair after;

	check_mark("before the detach", &before, 1);
	if (spin_ctx__detach(ctx))
		die("%s", spin_strerror_last());
	swap_to(0);
	tcp_pair__check_read("a detached context", &before, "\1", "\1");
	if (spin_ctx__attach(ctx))
		die("%s", spin_strerror_last());
	after = tcp_pair__open(listener);
	check_mark("replaced while detached", &after, 0);
	tcp_pair__close(&before);
	tcp_pair__close(&after);
}

static void check_refused(void)
{
	static const struct {
		const char *handler;
		int err;
	} refused[] = {
		{ "lines", -EINVAL }, /* another state */
		{ "seg_count", -EOPNOTSUPP },
		{ "reduce", -EOPNOTSUPP },
		{ "pingpong", -EOPNOTSUPP },
	};
	const struct tcp_pair pair = tcp_pair__open(listener);
	struct spin_migration report = { .bytes = sizeof(report) };

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct spin_object *obj = built_open(refused[i].handler);
		const int err = spin_socket__swap(id, obj, spind.socket);

		if (err != refused[i].err)
			die("%s replaces handlers of streams: %d, %s", refused[i].handler, err, err ? spin_strerror_last() : "no error");
		if (spin_socket__migrate(id, obj, spind.socket, &report) != -EOPNOTSUPP)
			die("the state of a stream's handlers is moved to %s", refused[i].handler);
		check_mark("after a refusal", &pair, 0);
		spin_object__close(obj);
	}
	tcp_pair__close(&pair);
}

static int run(void)
{
	struct spin_ctx *ctx;
	size_t bytes;
	void *state;

	handlers[0] = built_open("marks_bit6");
	handlers[1] = built_open("marks_bit7");
	spind__drop_privileges();
	listener = tcp_pair__listen(ADDRESS, PORT);
	ctx = spind__attach(&spind, listener, handlers[0], NULL);
	if (spin_ctx__symbol(ctx, "spin_state", &state, &bytes) || bytes != sizeof(*marks))
		die("no state: %s", spin_strerror_last());
	marks = state;
	id = spin_socket__id(ctx);
	check_under_load();
	printf("ok: under load\n");
	check_completion();
	check_detached(ctx);
	check_refused();
	printf("ok: completion, detached, refused\n");
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
