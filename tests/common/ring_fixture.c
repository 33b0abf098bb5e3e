/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens a veth pair and an attached handler that delivers datagrams to a ring (packets straight to the application, past the host's stack),
 * sends it frames and checks what the ring receives (ring_fixture.h). Used by tests/ring. Failures end the test.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_ether.h>

#include "tests/common/attached.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/ring_fixture.h"
#include "tests/reference/frame.h"
#include <spin/spin.h>

#define TIMEOUT_MS (10000 * slow_factor())

static void open_packet_socket(struct ring_fixture *r)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET };

	netns_enter(r->pair.near_ns);
	r->packet_socket = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	at.sll_ifindex = (int)if_nametoindex(NEAR_DEV);
	if (r->packet_socket < 0 || bind(r->packet_socket, (struct sockaddr *)&at, sizeof(at)))
		fail("a packet socket");
}

void ring_fixture__open(struct ring_fixture *r, enum spin_mode mode)
{
	memset(r, 0, sizeof(*r));
	pair__open(&r->pair);
	open_packet_socket(r);
	netns_enter(r->pair.far_ns);
	expect(0, spin_nic__open(FAR_DEV, &r->nic), "the interface");
	expect(0, spin_nic__set_mode(r->nic, mode), "its mode");
}

struct spin_ctx *ring_fixture__context(struct ring_fixture *r, const char *handler, const char *rule_text, const struct spin_ctx_opts *opts)
{
	struct spin_ctx *ctx;
	const char *reason = attached__context(&ctx, r->nic, handler, rule_text, opts);

	if (reason)
		fail(reason);
	return ctx;
}

struct spin_ring *ring_fixture__ring(struct spin_ctx *ctx, const struct spin_ring_opts *opts)
{
	struct spin_ring *ring;

	expect(0, spin_ring__create(ctx, opts, &ring), "a ring");
	return ring;
}

void ring_fixture__start(struct ring_fixture *r, const struct spin_ring_opts *opts)
{
	r->ctx = ring_fixture__context(r, "returns", "udp dport 9000", NULL);
	r->ring = ring_fixture__ring(r->ctx, opts);
}

void ring_fixture__close(struct ring_fixture *r)
{
	if (r->ring)
		spin_ring__destroy(r->ring);
	spin_ctx__destroy(r->ctx);
	spin_nic__close(r->nic);
	close(r->packet_socket);
	pair__close(&r->pair);
}

void ring_fixture__send(const struct ring_fixture *r, const void *frame, uint32_t bytes)
{
	if (send(r->packet_socket, frame, bytes, 0) != (ssize_t)bytes)
		fail("sending a frame");
}

/* A byte of the payload, after the number and the four bytes that tell `returns` what to return. */
static uint8_t byte_at(uint64_t number, uint32_t i)
{
	return (uint8_t)(number * 31 + i * 7 + (i >> 8));
}

uint32_t ring_fixture__datagram(uint8_t *frame, uint64_t number, uint32_t bytes, int dropped)
{
	const uint8_t codes[4] = { SPIN_HEADER_PROCESS_DATA, dropped ? SPIN_DROP : SPIN_SUCCESS, SPIN_COMPLETION_SUCCESS, 0 };
	struct frame_flow flow = { .ip_version = 4, .src_port = 4000, .dst_port = RING_FIXTURE_PORT };
	uint8_t *payload = frame_payload(frame, 4);
	uint32_t frame_bytes;

	inet_pton(AF_INET, NEAR_ADDR, flow.src);
	inet_pton(AF_INET, FAR_ADDR, flow.dst);
	memcpy(payload, codes, sizeof(codes));
	memcpy(payload + 4, &number, sizeof(number));
	for (uint32_t i = 12; i < bytes; i++)
		payload[i] = byte_at(number, i);
	frame_bytes = frame_finish(frame, &flow, bytes, FRAME_SUM_RIGHT);
	memcpy(frame, "\x02\x00\x00\x00\x78\x01\x02\x00\x00\x00\x78\x02", 12); /* the addresses that pair.c sets */
	return frame_bytes;
}

void ring_fixture__send_datagrams(const struct ring_fixture *r, uint64_t first, uint64_t count, uint32_t bytes)
{
	uint8_t frame[2048];

	for (uint64_t i = 0; i < count; i++)
		ring_fixture__send(r, frame, ring_fixture__datagram(frame, first + i, bytes, 0));
}

void ringed__check_packets(void *arg, const struct spin_ring_packet *packets, unsigned count)
{
	struct ringed_seen *seen = arg;

	for (unsigned i = 0; i < count; i++) {
		const struct spin_ring_packet *p = &packets[i];
		uint8_t want[2048];
		uint64_t number;

		if (p->payload_bytes < 12 || p->payload_bytes > 1500 || p->ip_version != 4 || p->src_port != 4000 ||
		    p->dst_port != RING_FIXTURE_PORT)
			fail("a packet of the ring is not a datagram that was sent");
		memcpy(&number, p->frame + p->payload_at + 4, sizeof(number));
		if (number < seen->next)
			fail("a datagram came twice, or behind a later one");
		if (ring_fixture__datagram(want, number, p->payload_bytes, 0) != p->frame_bytes || memcmp(want, p->frame, p->frame_bytes))
			fail("a datagram is not as it was sent");
		seen->next = number + 1;
		seen->count++;
	}
}

void ring_fixture__wait(const struct spin_ctx *ctx, uint64_t packets)
{
	uint64_t counted[SPIN_REASON_COUNT], sum = 0;

	for (int ms = 0; ms < TIMEOUT_MS; ms++) {
		spin_ctx__counters(ctx, counted);
		sum = 0;
		for (int i = 0; i < SPIN_REASON_COUNT; i++)
			sum += counted[i];
		if (sum >= packets)
			break;
		usleep(1000);
	}
	expect((long long)packets, (long long)sum, "packets of the context");
}

void ring_fixture__receive(struct spin_ring *ring, struct ringed_seen *seen, uint64_t count)
{
	struct pollfd fd = { .fd = spin_ring__fd(ring), .events = POLLIN };

	while (seen->count < count) {
		if (poll(&fd, 1, TIMEOUT_MS) != 1)
			fail("the ring has no more packets");
		spin_ring__receive(ring, ringed__check_packets, seen);
	}
	expect((long long)count, (long long)seen->count, "packets of the ring");
}

void ring_fixture__expect(const struct spin_ring *ring, uint64_t delivered, uint64_t received, uint64_t lost, uint64_t unbound)
{
	struct spin_ring_stats stats;

	expect(0, spin_ring__stats(ring, &stats), "the ring's counts");
	expect((long long)delivered, (long long)stats.delivered, "delivered to the ring");
	expect((long long)received, (long long)stats.received, "received from it");
	expect((long long)lost, (long long)stats.lost, "lost");
	expect((long long)unbound, (long long)stats.unbound, "of other queues");
	expect(0, (long long)stats.too_long, "too long");
}
