/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests isolated handlers of TCP segments that loop until the work limit (a bound on a packet's time) ends them. The context counts the
 * handlers that run for a connection; these never return, so the count stays up, but must not keep their connection's place (its state, of
 * which there are few) for ever. While they might still run, a segment that would begin the connection again must be dropped as NO_MPQ (no
 * place); after SPIN_SEGMENT_STUCK_MS (5 s) it must begin it. Uses namespaces of its own. Run by tests/run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <spin/wire.h>

#include "tests/common/attached.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include "tests/segments/inject.h"

#define PORT 9000u

/* The state of seg_endless. */
struct seg_endless {
	uint32_t loops, rounds, headers, payloads, completions;
};

static struct spin_ctx *ctx;
static volatile struct seg_endless *state;
static struct injector near_end;

static void die(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	if (state)
		printf("%u headers, %u payloads, %u completions\n", state->headers, state->payloads, state->completions);
	exit(1);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t counted(enum spin_reason reason)
{
	uint64_t packets[SPIN_REASON_COUNT], all = 0;

	spin_ctx__counters(ctx, packets);
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++)
		all += packets[i];
	return reason < SPIN_REASON_COUNT ? packets[reason] : all;
}

static void inject(uint16_t port, uint32_t seq, uint8_t flags, uint32_t bytes)
{
	const struct segref_key key = injector__key(NEAR_ADDR, port, FAR_ADDR, PORT);

	injector__send(&near_end, &key, seq, flags, bytes);
}

static void wait_for(const volatile uint32_t *at, uint32_t value, const char *what)
{
	for (int i = 0; *at != value && i < 500 * slow_factor(); i++)
		usleep(10000);
	if (*at != value)
		die(what);
}

/* Injects a segment again and again, each of which is dropped as NO_MPQ, until one begins a connection. Returns how long that took. */
static double until_it_begins(uint16_t port, uint32_t seq, double from, const char *what)
{
	const uint32_t headers = state->headers;

	while (state->headers == headers) {
		uint64_t before = counted(SPIN_REASON_COUNT);

		inject(port, seq, SPIN_TCP_SYN, 0);
		while (counted(SPIN_REASON_COUNT) == before && seconds() - from < 30 * slow_factor())
			usleep(1000);
		if (seconds() - from > 30 * slow_factor())
			die(what);
		usleep(50000);
	}
	return seconds() - from;
}

static void finish(uint16_t port, uint32_t seq)
{
	const uint32_t completions = state->completions;

	inject(port, seq + 1, SPIN_TCP_ACK, 10);
	inject(port, seq + 11, SPIN_TCP_ACK | SPIN_TCP_FIN, 0);
	wait_for(&state->completions, completions + 1, "the connection that begins then does not end");
}

int main(void)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = SPIN_CLASS_ISOLATED };
	const double least = SPIN_SEGMENT_STUCK_MS / 1000.0;
	struct spin_nic *nic;
	struct pair pair;
	const char *failed;
	double from[2], took;
	uint8_t far_mac[6];
	size_t bytes;

	pair__open(&pair);
	netns_enter(pair.far_ns);
	injector__address(FAR_DEV, far_mac);
	netns_enter(pair.near_ns);
	injector__open(&near_end, NEAR_DEV, far_mac);
	netns_enter(pair.far_ns);
	if (spin_nic__open(FAR_DEV, &nic))
		die("no interface");
	failed = attached__context(&ctx, nic, "seg_endless", "tcp dport 9000", &opts);
	if (failed || spin_ctx__symbol(ctx, "spin_state", (void **)&state, &bytes) || bytes != sizeof(*state))
		die(failed ? failed : "the state of seg_endless");

	state->loops = 1;
	inject(1, 100, SPIN_TCP_SYN, 0);
	wait_for(&state->headers, 1, "no header handler runs");
	from[0] = seconds();
	state->loops = 2;
	inject(2, 100, SPIN_TCP_SYN, 0);
	inject(2, 101, SPIN_TCP_ACK, 10);
	wait_for(&state->payloads, 1, "no payload handler runs");
	from[1] = seconds();
	usleep(200000);
	state->loops = 0;

	took = until_it_begins(1, 200, from[0], "a header handler that was ended keeps its connection's place");
	printf("a header handler that was ended: its connection begins again after %.1f s\n", took);
	if (took < least - 0.5 || !counted(SPIN_REASON_NO_MPQ))
		die("it begins again while the handler may run");
	finish(1, 200);
	took = until_it_begins(2, 200, from[1], "a payload handler that was ended keeps its connection's place");
	printf("a payload handler that was ended: its connection begins again after %.1f s\n", took);
	finish(2, 200);
	injector__close(&near_end);
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	pair__close(&pair);
	return 0;
}
