/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of rings, AF_XDP sockets by which handlers deliver packets to a program past the host's stack. Frames that are longer than the
 * ring's buffers must go to the host's UDP socket and be counted; shorter ones must arrive through the ring, up to the last byte that fits.
 * With an MTU of 9000, including frames in several buffers, and with ring buffers of 2048 bytes. Run by tests/run.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <spin/spin.h>

#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/ring_fixture.h"

static struct ring_fixture r;
static uint64_t packets, by_ring;
static uint8_t payload[9000];
static uint32_t wanted;

static void on_packets(void *arg, const struct spin_ring_packet *p, unsigned count)
{
	expect(1, count, "packets at a time");
	expect(wanted, p->payload_bytes, "bytes of the payload");
	expect(0, memcmp(p->frame + p->payload_at, payload, wanted), "difference of the payloads");
	*(int *)arg = 1;
}

/* Sends one datagram, and checks where it arrives. */
static void one(int from, int to, uint32_t bytes, int fits)
{
	const struct sockaddr_in there = { .sin_family = AF_INET,
					   .sin_port = htons(RING_FIXTURE_PORT),
					   .sin_addr.s_addr = inet_addr(FAR_ADDR) };
	uint8_t got[sizeof(payload)];
	int did = 0;

	wanted = bytes;
	expect(bytes, sendto(from, payload, bytes, 0, (const struct sockaddr *)&there, sizeof(there)), "sending");
	ring_fixture__wait(r.ctx, ++packets);
	expect(fits, spin_ring__receive(r.ring, on_packets, &did), "packets of the ring");
	expect(fits, did, "packets of the ring");
	by_ring += (uint64_t)fits;
	if (fits)
		return;
	expect(bytes, recv(to, got, sizeof(got), 0), "bytes to the socket");
	expect(0, memcmp(got, payload, bytes), "difference of the payloads");
}

static void all(const struct spin_ring_opts *opts, uint32_t longest)
{
	const uint8_t codes[4] = { SPIN_HEADER_PROCESS_DATA, SPIN_SUCCESS, SPIN_COMPLETION_SUCCESS, 0 };
	const struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(RING_FIXTURE_PORT) };
	const struct timeval wait = slow_wait(5000);
	struct spin_ring_stats stats;
	int from, to;

	for (uint32_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)(i * 7 + (i >> 8));
	memcpy(payload, codes, sizeof(codes));
	ring_fixture__open(&r, SPIN_MODE_NATIVE);
	close(r.pair.pass); /* a program without support of fragments: it keeps its interface's peer from a large MTU */
	r.pair.pass = -1;
	netns_enter(r.pair.near_ns);
	netns_shell("ip link set " NEAR_DEV " mtu 9000");
	from = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	netns_enter(r.pair.far_ns);
	netns_shell("ip link set " FAR_DEV " mtu 9000");
	to = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (bind(to, (const struct sockaddr *)&own, sizeof(own)) || setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		fail("a socket");
	ring_fixture__start(&r, opts);
	packets = by_ring = 0;
	one(from, to, 100, 1);
	one(from, to, longest - 1, 1);
	one(from, to, longest, 1);
	one(from, to, longest + 1, 0);
	one(from, to, 5000, 0);
	one(from, to, 8900, 0);
	one(from, to, 12, 1);
	expect(0, spin_ring__stats(r.ring, &stats), "the ring's counts");
	expect((long long)by_ring, (long long)stats.received, "received");
	expect(3, (long long)stats.too_long, "too long");
	expect(0, (long long)(stats.lost + stats.unbound), "lost, or of other queues");
	close(from);
	close(to);
	ring_fixture__close(&r);
}

int main(void)
{
	const struct spin_ring_opts small = { .bytes = sizeof(small), .frame_bytes = 2048 };

	all(NULL, 4096 - 256 - 42);
	all(&small, 2048 - 256 - 42);
	return 0;
}
