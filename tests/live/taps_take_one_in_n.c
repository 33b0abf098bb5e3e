/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests taps, which copy packets of a context to a program. Of 4000 datagrams a tap of all must get each, unmodified and in order, and a
 * tap of one in 8, which draws at random, 350 to 650. Run by tests/run.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include <spin/libspin.h>

#define DATAGRAMS 4000u
#define EVERY     8u
#define LOW       350u /* of 500: seven standard deviations below the mean */
#define HIGH      650u
#define WAIT_MS   (10000u * slow_factor())

struct seen {
	unsigned packets;
	uint32_t last; /* number of the datagram, from its payload */
};

static void on_packet(void *arg, const struct spin_tapped *packet)
{
	struct seen *seen = arg;
	uint32_t number;

	expect(14 + 20 + 8 + sizeof(number), packet->frame_bytes, "bytes of a frame");
	memcpy(&number, packet->frame + packet->frame_bytes - sizeof(number), sizeof(number));
	if (seen->packets++ && number <= seen->last)
		fail("packets are not in their order");
	seen->last = number;
}

static void send_all(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9000) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, FAR_ADDR, &to.sin_addr);
	for (uint32_t i = 0; i < DATAGRAMS; i++) {
		if (sendto(fd, &i, sizeof(i), 0, (struct sockaddr *)&to, sizeof(to)) != sizeof(i))
			fail("sending");
		if (i % 64 == 63)
			usleep(1000); /* the far end's ring has 256 entries */
	}
	close(fd);
}

static unsigned tapped(struct spin_ctx *ctx, const struct pair *pair, uint32_t every)
{
	uint64_t before[SPIN_REASON_COUNT], now[SPIN_REASON_COUNT];
	struct seen seen = { 0 };

	expect(0, every == 1 ? spin_ctx__tap(ctx, 1 << 20) : spin_ctx__tap_some(ctx, 1 << 20, every), "a tap");
	spin_ctx__counters(ctx, before);
	netns_enter(pair->near_ns);
	send_all();
	for (unsigned ms = 0; ms < WAIT_MS; ms++) {
		spin_ctx__counters(ctx, now);
		if (now[SPIN_REASON_DROPPED] - before[SPIN_REASON_DROPPED] == DATAGRAMS)
			break;
		usleep(1000);
	}
	expect(DATAGRAMS, (long long)(now[SPIN_REASON_DROPPED] - before[SPIN_REASON_DROPPED]), "datagrams handled");
	while (spin_ctx__tapped(ctx, on_packet, &seen) > 0)
		;
	expect(0, (long long)spin_ctx__tap_lost(ctx), "packets that found no room");
	spin_ctx__untap(ctx);
	return seen.packets;
}

int main(void)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	struct pair pair;
	char path[512];
	unsigned some;

	pair__open(&pair);
	netns_enter(pair.far_ns);
	if (built_object("counter", path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse("udp dport 9000", &rule) ||
	    spin_nic__open(FAR_DEV, &nic) || spin_ctx__create(nic, object, &rule, &ctx) || spin_ctx__attach(ctx))
		fail("a context");
	expect(DATAGRAMS, tapped(ctx, &pair, 1), "packets of a tap of all");
	some = tapped(ctx, &pair, EVERY);
	if (some < LOW || some > HIGH) {
		printf("%u of %u packets, one in %u was asked for\n", some, DATAGRAMS, EVERY);
		fail("how many are tapped");
	}
	expect(DATAGRAMS, tapped(ctx, &pair, 1), "packets of a tap of all again");
	spin_ctx__destroy(ctx);
	spin_object__close(object);
	spin_nic__close(nic);
	pair__close(&pair);
	return 0;
}
