/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of rings, AF_XDP sockets by which handlers deliver packets to a program past the host's stack. Its reader is killed while packets
 * arrive, and must leave no program or socket behind. The next reader must get the same queues at once, and all packets that are sent to
 * it. Packets of another context on the same queues must go to the host's socket. Run by tests/run.
 */
#include <arpa/inet.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/child.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/ring_fixture.h"

#define KILLS 5
#define EACH  500

static struct ring_fixture r;
static atomic_ullong *received;

/* The child: reads until it is killed. */
static int reader(int unused)
{
	struct ringed_seen seen = { 0 };

	(void)unused;
	expect(0, spin_nic__open(FAR_DEV, &r.nic), "the interface");
	ring_fixture__start(&r, NULL);
	ring_fixture__context(&r, "returns", "udp dport 9001", NULL);
	*received = 1;
	for (;;) {
		spin_ring__receive(r.ring, ringed__check_packets, &seen);
		*received = 1 + seen.count;
	}
	return 1;
}

static void wait_until(uint64_t count, const char *what)
{
	for (int ms = 0; *received < count && ms < 20000 * slow_factor(); ms++)
		usleep(1000);
	expect((long long)count, (long long)*received, what);
}

/* Sends a datagram to the other context, whose handlers deliver to a socket. */
static void other_context(void)
{
	const struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(9001) };
	struct sockaddr_in to = own;
	const struct timeval wait = slow_wait(5000);
	int from = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), fd;
	uint8_t frame[256], got[256];
	const uint32_t bytes = ring_fixture__datagram(frame, 7, 50, 0) - 42;

	to.sin_addr.s_addr = inet_addr(FAR_ADDR);
	if (bind(from, (const struct sockaddr *)&own, sizeof(own)) || setsockopt(from, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		fail("a socket");
	netns_enter(r.pair.near_ns);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sendto(fd, frame + 42, bytes, 0, (const struct sockaddr *)&to, sizeof(to)) != (ssize_t)bytes)
		fail("sending");
	netns_enter(r.pair.far_ns);
	expect(bytes, recv(from, got, sizeof(got), 0), "the other context's datagram");
	expect(0, memcmp(got, frame + 42, bytes), "its bytes");
	close(fd);
	close(from);
}

int main(void)
{
	received = mmap(NULL, sizeof(*received), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (received == MAP_FAILED)
		fail("memory");
	ring_fixture__open(&r, SPIN_MODE_NATIVE);
	spin_nic__close(r.nic);
	for (int i = 0; i < KILLS; i++) {
		pid_t child;

		*received = 0;
		child = child__start(r.pair.far_ns, reader, 0);
		wait_until(1, "a reader");
		ring_fixture__send_datagrams(&r, 0, EACH, 100);
		wait_until(1 + EACH, "what is sent to it");
		other_context();
		ring_fixture__send_datagrams(&r, EACH, i * 50, 100); /* some are in flight, or in the ring */
		expect(1, child__kill(&child), "the child lived");
		netns_shell("for i in $(seq 100); do ip link show " FAR_DEV " | grep -q xdp || exit 0; sleep 0.05; done; exit 1");
	}
	return 0;
}
