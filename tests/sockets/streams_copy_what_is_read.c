/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests what is copied of a TCP stream for its handlers: spincc finds what they cannot look at (user/spincc/reach.c), and that is left out.
 * With handlers that look at the first eight bytes of a piece, change the first, and sum up the eighth, the application must read all
 * others as sent, also of pieces longer than the runtime copies at a time. Handlers that look at an offset of the application's choice must
 * see that byte. Run by tests/run.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bpf/abi/stream.h"
#include "tests/common/built.h"
#include "tests/common/traffic/tcp_pair.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define ADDRESS "127.0.0.1"
#define PORT    7119
#define BYTES   (8u << 20)
#define NTH     5000u /* within SPIN_STREAM_PIECES, and beyond what is copied of a short packet */

struct heads {
	uint32_t pieces, bytes, longest, sum;
};

struct nth_byte {
	uint32_t at, pieces, bytes, longest, long_enough, sum;
};

static struct udp_hosts hosts;
static struct spind spind;
static int listener;
static uint8_t sent[BYTES], got[BYTES];

/* The byte at a position of the stream. It is never '#', and tells positions apart. */
static uint8_t byte_of(uint32_t at)
{
	return (uint8_t)('A' + (at ^ at >> 8 ^ at >> 16) % 50);
}

static void *state_of(struct spin_ctx *ctx, size_t wanted)
{
	void *addr;
	size_t bytes;

	if (spin_ctx__symbol(ctx, "spin_state", &addr, &bytes) || bytes != wanted)
		die("the handlers' state is another one");
	return addr;
}

static void *send_all(void *pair)
{
	const struct tcp_pair *c = pair;

	for (size_t at = 0; at < BYTES;) {
		ssize_t n = send(c->client, sent + at, BYTES - at < 1u << 20 ? BYTES - at : 1u << 20, MSG_NOSIGNAL);

		if (n <= 0)
			die("send: %s", strerror(errno));
		at += (size_t)n;
	}
	return pair;
}

static void pass_stream(void)
{
	struct tcp_pair pair = tcp_pair__open(listener);
	pthread_t thread;

	memset(got, 0, sizeof(got));
	if (pthread_create(&thread, NULL, send_all, &pair))
		die("no thread");
	for (size_t at = 0; at < BYTES;) {
		struct pollfd wait = { .fd = pair.server, .events = POLLIN };
		ssize_t n = poll(&wait, 1, 10000) > 0 ? recv(pair.server, got + at, BYTES - at, MSG_DONTWAIT) : 0;

		if (n < 0 && errno == EAGAIN)
			continue;
		if (n <= 0)
			die("after %zu bytes nothing more is read: %s", at, n ? strerror(errno) : "no byte in ten seconds");
		at += (size_t)n;
	}
	pthread_join(thread, NULL);
	tcp_pair__close(&pair);
}

static struct spin_ctx *attach(const struct spin_object *obj)
{
	listener = tcp_pair__listen(ADDRESS, PORT);
	return spind__attach(&spind, listener, obj, NULL);
}

/* Each piece's first byte has become '#'. Its eighth byte tells where the next piece begins, if that is not within eight bytes. */
static void check_heads(void)
{
	struct spin_object *obj = built_open("heads");
	struct spin_ctx *ctx = attach(obj);
	const struct heads *h = state_of(ctx, sizeof(*h));
	uint32_t pieces = 0, sum = 0, start = 0;

	pass_stream();
	for (uint32_t at = 0; at < BYTES; at++) {
		if (got[at] == '#') {
			pieces++;
			start = at;
		} else if (got[at] != sent[at]) {
			die("byte %u, %u bytes after the start of its piece: %u was sent, %u is read", at, at - start, sent[at], got[at]);
		}
		sum += at - start == 7 ? sent[at] : 0;
	}
	if (h->pieces != pieces || h->bytes != BYTES || h->sum != sum)
		die("handlers saw %u pieces of %u bytes, eighth bytes %u; the application %u pieces of %u bytes, %u", h->pieces, h->bytes,
		    h->sum, pieces, BYTES, sum);
	if (h->longest > SPIN_STREAM_BEYOND)
		die("a piece has %u bytes, more than %u", h->longest, SPIN_STREAM_BEYOND);
	printf("heads: %u pieces of up to %u bytes\n", h->pieces, h->longest);
	spin_ctx__destroy(ctx);
	close(listener);
	spin_object__close(obj);
}

/* All bytes of the stream are 1, so the sum tells in how many pieces the handlers saw the byte. */
static void check_nth_byte(void)
{
	struct spin_object *obj = built_open("nth_byte");
	struct spin_ctx *ctx = attach(obj);
	struct nth_byte *n = state_of(ctx, sizeof(*n));

	memset(sent, 1, sizeof(sent));
	n->at = NTH;
	pass_stream();
	if (memcmp(sent, got, sizeof(sent)))
		die("the stream was changed");
	if (n->bytes != BYTES || n->longest > SPIN_STREAM_PIECES)
		die("handlers saw %u bytes in pieces of up to %u", n->bytes, n->longest);
	if (n->sum != n->long_enough || !n->sum)
		die("of %u pieces with a byte %u, handlers saw it in %u", n->long_enough, NTH, n->sum);
	printf("nth_byte: %u pieces of up to %u bytes, %u with a byte %u\n", n->pieces, n->longest, n->sum, NTH);
	spin_ctx__destroy(ctx);
	close(listener);
	spin_object__close(obj);
}

static int run_all(void)
{
	for (uint32_t at = 0; at < BYTES; at++)
		sent[at] = byte_of(at);
	check_heads();
	check_nth_byte();
	return 0;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	udp_hosts__hosts(&hosts);
	spind__start(&spind, "");
	return spind__run_in_child(&spind, run_all);
}
