/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of rings, AF_XDP sockets by which handlers deliver packets to a program past the host's stack. With handlers that also send packets
 * of their own (SPIN_PUTS), what they deliver must reach the ring once and unchanged, what they send must leave, and what they answer must
 * not reach the ring. Run by tests/run.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <spin/bytes.h>

#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/ring_fixture.h"
#include "tests/handlers/sending/fan_out.h"

#define EACH  50 /* datagrams */
#define WORDS 16 /* per datagram */
#define SENT  3  /* packets per datagram */

static struct ring_fixture r;
static int near;
static uint32_t numbers; /* number of the next datagram, from 0 */

static void open_near(void)
{
	const struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(4000), .sin_addr.s_addr = inet_addr(NEAR_ADDR) };
	const struct timeval wait = slow_wait(5000);

	netns_enter(r.pair.near_ns);
	near = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (near < 0 || bind(near, (const struct sockaddr *)&own, sizeof(own)) ||
	    setsockopt(near, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		fail("a socket");
	netns_enter(r.pair.far_ns);
}

/* Waits for the packets that the handlers send for the datagram `words`, and for their reply. */
static void receive_sent(const uint32_t *words, int replied)
{
	uint8_t got[256];
	unsigned puts = 0, replies = 0;

	while (puts < SENT || (int)replies < replied) {
		ssize_t bytes = recv(near, got, sizeof(got), 0);

		if (bytes < 0)
			fail("a packet that handlers send has not come");
		if (bytes == 4)
			replies++;
		else if (bytes >= 8 && !memcmp(got + bytes - 8, words + puts, 8))
			puts++; /* two words after SLMP's headers, starting one word later in each packet */
		else
			fail("a packet of handlers is not as they sent it");
	}
	expect(replied, replies, "replies");
}

static void send_each(uint32_t answer)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons(RING_FIXTURE_PORT),
					.sin_addr.s_addr = inet_addr(FAR_ADDR) };
	uint32_t words[WORDS];

	for (uint32_t i = 0; i < EACH; i++, numbers++) {
		for (uint32_t w = 0; w < WORDS; w++)
			words[w] = htonl(numbers * WORDS + w);
		expect(sizeof(words), sendto(near, words, sizeof(words), 0, (const struct sockaddr *)&to, sizeof(to)), "sending");
		receive_sent(words, answer == FAN_OUT_REPLY);
	}
	ring_fixture__wait(r.ctx, numbers);
}

/* arg: the number of the next datagram. */
static void on_packets(void *arg, const struct spin_ring_packet *packets, unsigned count)
{
	uint32_t *next = arg;

	for (unsigned i = 0; i < count; i++, ++*next) {
		const uint32_t first = htonl(*next * WORDS);

		expect(WORDS * 4, packets[i].payload_bytes, "bytes of the payload");
		expect(0, memcmp(&first, packets[i].frame + packets[i].payload_at, 4), "difference of the first word");
	}
}

int main(void)
{
	struct fan_out *state;
	uint32_t next = 0;
	size_t bytes;

	ring_fixture__open(&r, SPIN_MODE_NATIVE);
	r.ctx = ring_fixture__context(&r, "fan_out", "udp dport 9000", NULL);
	expect(0, spin_ctx__symbol(r.ctx, "spin_state", (void **)&state, &bytes), "the state");
	state->count = SENT;
	state->bytes = 8;
	state->answer = FAN_OUT_PASS;
	r.ring = ring_fixture__ring(r.ctx, NULL);
	open_near();
	send_each(FAN_OUT_PASS);
	expect(EACH, spin_ring__receive(r.ring, on_packets, &next), "packets of the ring");
	state->answer = FAN_OUT_REPLY;
	send_each(FAN_OUT_REPLY);
	state->answer = FAN_OUT_DROP;
	send_each(FAN_OUT_DROP);
	expect(0, spin_ring__receive(r.ring, on_packets, &next), "packets of the ring that were answered or dropped");
	ring_fixture__expect(r.ring, EACH, EACH, 0, 0);
	close(near);
	ring_fixture__close(&r);
	return 0;
}
