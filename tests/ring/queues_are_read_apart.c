/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of rings, AF_XDP sockets by which handlers deliver packets to a program past the host's stack. With several receive queues a thread
 * reads each, and together they must receive every datagram once. A ring of some of the queues must leave the datagrams of the others to
 * the host's socket, and count them. With CPUs as HPUs (they run the handlers), and with queues. Run by tests/run.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <spin/spin.h>

#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/ring_fixture.h"

#define SOCKETS   48 /* flows, which the kernel spreads over the queues */
#define DATAGRAMS 40 /* per flow */
#define NUMBERS   (SOCKETS * DATAGRAMS)
#define QUEUES    4

struct payload {
	uint8_t codes[4];
	uint32_t number;
};

static struct ring_fixture r;
static atomic_uchar seen[NUMBERS];
static atomic_uint all;
static volatile int ended;

struct reader {
	pthread_t thread;
	unsigned queue, packets;
};

static void mark_seen(const uint8_t *at, size_t bytes)
{
	struct payload p;

	if (bytes != sizeof(p))
		fail("a datagram of another length");
	memcpy(&p, at, sizeof(p));
	if (p.number >= NUMBERS || atomic_fetch_add(&seen[p.number], 1))
		fail("a datagram came twice, or was never sent");
	atomic_fetch_add(&all, 1);
}

static void on_queue_packets(void *arg, const struct spin_ring_packet *packets, unsigned count)
{
	struct reader *reader = arg;

	for (unsigned i = 0; i < count; i++) {
		if (packets[i].queue != reader->queue)
			fail("a packet of another queue");
		mark_seen(packets[i].frame + packets[i].payload_at, packets[i].payload_bytes);
	}
	reader->packets += count;
}

static void *read_queue(void *arg)
{
	struct reader *reader = arg;
	struct pollfd fd = { .fd = spin_ring__queue_fd(r.ring, reader->queue), .events = POLLIN };

	while (!ended) {
		poll(&fd, 1, 20);
		if (spin_ring__receive_queue(r.ring, reader->queue, on_queue_packets, reader) < 0)
			fail("reading a queue");
	}
	return NULL;
}

/* Sends SOCKETS flows, each of which may use another queue. `before`: the context's count so far. */
static void send_all(uint64_t before)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons(RING_FIXTURE_PORT),
					.sin_addr.s_addr = inet_addr(FAR_ADDR) };
	struct payload p = { .codes = { SPIN_HEADER_PROCESS_DATA, SPIN_SUCCESS, SPIN_COMPLETION_SUCCESS } };

	memset((void *)seen, 0, sizeof(seen));
	all = 0;
	for (uint32_t s = 0; s < SOCKETS; s++) {
		int fd;

		netns_enter(r.pair.near_ns);
		fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		for (uint32_t i = 0; i < DATAGRAMS; i++) {
			p.number = s * DATAGRAMS + i;
			if (sendto(fd, &p, sizeof(p), 0, (const struct sockaddr *)&to, sizeof(to)) != sizeof(p))
				fail("sending");
		}
		close(fd);
		netns_enter(r.pair.far_ns);
		ring_fixture__wait(r.ctx, before + (s + 1) * DATAGRAMS); /* queues with threads hold 256 */
	}
}

static void wait_for_all(void)
{
	for (int ms = 0; all < NUMBERS && ms < 10000 * slow_factor(); ms++)
		usleep(1000);
	expect(NUMBERS, all, "datagrams that arrived");
}

static void each_by_its_thread(void)
{
	struct reader reader[QUEUES] = { 0 };
	unsigned used = 0;

	r.ring = ring_fixture__ring(r.ctx, NULL);
	ended = 0;
	expect(QUEUES, spin_ring__queues(r.ring, NULL), "queues");
	for (unsigned i = 0; i < QUEUES; i++) {
		reader[i].queue = i;
		if (pthread_create(&reader[i].thread, NULL, read_queue, &reader[i]))
			fail("a thread");
	}
	send_all(0);
	wait_for_all();
	ended = 1;
	for (unsigned i = 0; i < QUEUES; i++) {
		pthread_join(reader[i].thread, NULL);
		printf("queue %u: %u\n", i, reader[i].packets);
		used += reader[i].packets != 0;
	}
	if (used < 2)
		fail("one queue got everything");
	ring_fixture__expect(r.ring, NUMBERS, NUMBERS, 0, 0);
	spin_ring__destroy(r.ring);
}

/* Receives from a ring that has queues 1 and 2. */
static void on_ring_packets(void *arg, const struct spin_ring_packet *packets, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (packets[i].queue != 1 && packets[i].queue != 2)
			fail("a packet of a queue that the ring does not have");
		mark_seen(packets[i].frame + packets[i].payload_at, packets[i].payload_bytes);
	}
	*(unsigned *)arg += count;
}

static void some_of_them(void)
{
	const struct spin_ring_opts opts = { .bytes = sizeof(opts), .first_queue = 1, .queues = 2 };
	const struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(RING_FIXTURE_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), bytes = 8 << 20;
	unsigned ring = 0, host = 0;
	uint8_t datagram[64];
	ssize_t got;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    bind(fd, (const struct sockaddr *)&own, sizeof(own)))
		fail("a socket");
	r.ring = ring_fixture__ring(r.ctx, &opts);
	send_all(NUMBERS);
	while (spin_ring__receive(r.ring, on_ring_packets, &ring))
		;
	for (; (got = recv(fd, datagram, sizeof(datagram), MSG_DONTWAIT)) >= 0; host++)
		mark_seen(datagram, (size_t)got);
	printf("ring %u, socket %u\n", ring, host);
	wait_for_all();
	ring_fixture__expect(r.ring, ring, ring, 0, host);
	close(fd);
}

int main(void)
{
	static const enum spin_hpus hpus[] = { SPIN_HPUS_CPU, SPIN_HPUS_QUEUE };

	for (int i = 0; i < 2; i++) {
		const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .hpus = hpus[i] };

		ring_fixture__open(&r, SPIN_MODE_NATIVE);
		r.ctx = ring_fixture__context(&r, "returns", "udp dport 9000", &opts);
		each_by_its_thread();
		some_of_them();
		ring_fixture__close(&r);
	}
	return 0;
}
