/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the handlers pingpong and copy_from_host, which send a message's packets back, with a plain client that has several packets of a
 * message in flight, over a link that loses, duplicates and reorders frames. All packets must be acknowledged, every returned packet must
 * be correct, and at least half of 1600 must be returned. Run by tests/run.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/lossy.h"
#include "tests/common/net/netns.h"
#include "tests/common/random.h"
#include "tests/common/net/slow.h"
#include <spin/slmp.h>
#include <spin/libspin_message.h>

#define MESSAGES  200u
#define PACKETS   8u
#define STRIDE    1000u
#define BYTES     (PACKETS * STRIDE)
#define TIMEOUT_S (60 * slow_factor())

static const struct lossy_rates bad = { .lose = 5, .twice = 5, .hold = 25, .reach = 10 };

static struct lossy link_;
static uint8_t pings[BYTES];

struct datagram {
	struct spin_slmp head;
	uint8_t payload[STRIDE];
} __attribute__((packed));

static void die(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	lossy__print(&link_);
	exit(1);
}

static struct spin_ctx *serve(const char *handler)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	char path[512];

	netns_enter(link_.far_ns);
	if (built_object(handler, path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse("udp dport 9330", &rule) ||
	    spin_nic__open(FAR_DEV, &nic) || spin_ctx__create(nic, object, &rule, &ctx) || spin_ctx__attach(ctx))
		die(handler);
	spin_nic__close(nic);
	spin_object__close(object);
	netns_enter(link_.near_ns);
	return ctx;
}

static int open_socket(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(SPIN_SLMP_PORT) };
	struct timeval wait = { .tv_usec = 20000 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, FAR_ADDR, &to.sin_addr);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		die("a socket");
	return fd;
}

static uint16_t flags_of(unsigned packet)
{
	return SPIN_SLMP_SYN | (packet == PACKETS - 1 ? SPIN_SLMP_EOM : 0);
}

static void send_packet(int fd, uint32_t id, unsigned packet)
{
	struct datagram d = { { htons(flags_of(packet)), htonl(id), htonl(packet * STRIDE) }, { 0 } };

	memcpy(d.payload, pings + packet * STRIDE, STRIDE);
	if (send(fd, &d, sizeof(d), 0) != sizeof(d))
		die("cannot send");
}

/* Returns 0 if nothing arrives for a while. Late packets of earlier messages are not an error. */
static int receive_reply(int fd, uint32_t id, const uint8_t *want, unsigned *acknowledged, unsigned *returned)
{
	struct datagram d;
	ssize_t bytes = recv(fd, &d, sizeof(d), 0);
	uint32_t offset = ntohl(d.head.offset);
	unsigned packet = offset / STRIDE;

	if (bytes < 0)
		return 0;
	if (offset % STRIDE || packet >= PACKETS || (bytes != sizeof(d.head) && bytes != sizeof(d)))
		die("what came back is of no packet");
	if (bytes == sizeof(d.head) ? d.head.flags != htons(SPIN_SLMP_ACK) : d.head.flags != htons(flags_of(packet)))
		die("what came back has other flags");
	if (bytes == sizeof(d) && memcmp(d.payload, want + offset, STRIDE))
		die("what came back has another payload");
	if (ntohl(d.head.message_id) == id)
		*(bytes == sizeof(d) ? returned : acknowledged) |= 1u << packet;
	return 1;
}

static void round_trips(const char *handler, uint32_t first_id)
{
	struct spin_ctx *ctx = serve(handler);
	const uint8_t *want = pings;
	time_t start = time(NULL);
	unsigned returned_count = 0;
	int fd = open_socket();
	uint8_t *memory;
	size_t bytes;

	if (spin_ctx__host_memory(ctx, (void **)&memory, &bytes))
		die("host memory");
	if (!strcmp(handler, "copy_from_host")) {
		uint64_t seed = 11;

		random_fill(&seed, memory, BYTES);
		want = memory;
	}
	for (uint32_t id = first_id; id < first_id + MESSAGES; id++) {
		unsigned acknowledged = 0, returned = 0;

		while (acknowledged != (1u << PACKETS) - 1) {
			if (time(NULL) - start > TIMEOUT_S)
				die("packets are not acknowledged");
			for (unsigned p = 0; p < PACKETS; p++)
				if (!(acknowledged >> p & 1))
					send_packet(fd, id, p);
			while (acknowledged != (1u << PACKETS) - 1 && receive_reply(fd, id, want, &acknowledged, &returned))
				;
		}
		returned_count += (unsigned)__builtin_popcount(returned);
	}
	printf("%s: %u of %u packets came back\n", handler, returned_count, MESSAGES * PACKETS);
	/* one in twenty is lost on the way back; some arrive after their message has ended */
	if (returned_count < MESSAGES * PACKETS / 2)
		die("too few packets came back");
	close(fd);
	spin_ctx__destroy(ctx);
}

int main(void)
{
	uint64_t seed = 3;

	random_fill(&seed, pings, sizeof(pings));
	lossy__open(&link_, bad, bad, 9);
	round_trips("pingpong", 1);
	round_trips("copy_from_host", 100001);
	lossy__close(&link_);
	lossy__print(&link_);
	if (!link_.there.counts.lost || !link_.back.counts.lost || !link_.back.counts.overtaken)
		die("the link is not as bad as it should be");
	return 0;
}
