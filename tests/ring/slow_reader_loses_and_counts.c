/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of rings, AF_XDP sockets by which handlers deliver packets to a program past the host's stack. A reader that is slower than its
 * packets must lose some, and learn how many: what it gets is whole, in order and never duplicated, and delivered = received + lost. First
 * it reads nothing, then a little now and then while another thread sends. One call must return at most as many packets as the ring has
 * frames, even if more arrive during the call. Run by tests/run.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/common/expect.h"
#include "tests/common/net/slow.h"
#include "tests/common/ring_fixture.h"

#define FRAMES 64
#define FLOOD  20000

static struct ring_fixture r;
static volatile int ended;

static void *flood(void *arg)
{
	const uint64_t count = FLOOD / 4 + slow_rounds(FLOOD);

	(void)arg;
	ring_fixture__send_datagrams(&r, 1000, count, 200);
	ended = 1;
	return (void *)(uintptr_t)count;
}

static void read_never(struct ringed_seen *seen)
{
	ring_fixture__send_datagrams(&r, 0, 1000, 100);
	ring_fixture__wait(r.ctx, 1000);
	ring_fixture__expect(r.ring, 1000, 0, 1000 - FRAMES, 0);
	expect(FRAMES, spin_ring__receive(r.ring, ringed__check_packets, seen), "packets that were kept");
	expect(FRAMES, (long long)seen->next, "the number behind the last one: the first ones are kept");
	ring_fixture__expect(r.ring, 1000, FRAMES, 1000 - FRAMES, 0);
}

static void read_sometimes(struct ringed_seen *seen)
{
	struct spin_ring_stats stats;
	pthread_t thread;
	void *sent;

	if (pthread_create(&thread, NULL, flood, NULL))
		fail("a thread");
	while (!ended) {
		if (spin_ring__receive(r.ring, ringed__check_packets, seen) < 0)
			fail("receiving");
		usleep(seen->count % 7 ? 3000 : 0);
	}
	pthread_join(thread, &sent);
	ring_fixture__wait(r.ctx, 1000 + (uintptr_t)sent);
	while (spin_ring__receive(r.ring, ringed__check_packets, seen))
		;
	expect(0, spin_ring__stats(r.ring, &stats), "the ring's counts");
	expect((long long)(1000 + (uintptr_t)sent), (long long)stats.delivered, "delivered");
	expect((long long)seen->count, (long long)stats.received, "received");
	expect((long long)stats.delivered, (long long)(stats.received + stats.lost), "received and lost");
	printf("%llu of %llu were lost\n", (unsigned long long)stats.lost, (unsigned long long)stats.delivered);
	if (stats.lost <= 1000 - FRAMES)
		fail("the reader was not slow");
}

/* Sends more packets during the callback; they belong to the next call. */
static void on_packets(void *arg, const struct spin_ring_packet *packets, unsigned count)
{
	uint64_t *sent = arg;

	(void)packets;
	(void)count;
	ring_fixture__send_datagrams(&r, *sent, FRAMES, 100);
	*sent += FRAMES;
	ring_fixture__wait(r.ctx, *sent);
}

static void stops_at_its_frames(void)
{
	const struct spin_ring_opts opts = { .bytes = sizeof(opts), .frames = 2 * FRAMES };
	uint64_t sent = FRAMES + FRAMES / 2;

	ring_fixture__start(&r, &opts);
	ring_fixture__send_datagrams(&r, 0, sent, 100);
	ring_fixture__wait(r.ctx, sent);
	expect(2 * FRAMES, spin_ring__receive(r.ring, on_packets, &sent), "packets of one call");
}

int main(void)
{
	const struct spin_ring_opts opts = { .bytes = sizeof(opts), .frames = FRAMES };
	struct ringed_seen seen = { 0 };

	ring_fixture__open(&r, SPIN_MODE_NATIVE);
	ring_fixture__start(&r, &opts);
	read_never(&seen);
	read_sometimes(&seen);
	spin_ctx__destroy(r.ctx);
	stops_at_its_frames();
	ring_fixture__close(&r);
	return 0;
}
