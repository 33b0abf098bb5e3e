/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two namespaces, and between them a relay that drops, duplicates and reorders frames by a seed. Used by tests in tests/live,
 * tests/segments, tests/transfer and tests/stress. What happens to a frame depends only on the seed and its number.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/net/lossy.h"
#include "tests/common/net/lossy_relay.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/xdp_pass.h"

#define BUFFER_BYTES (64 << 20)

static void fail(const char *what)
{
	printf("FAIL: lossy link: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Returns the link of the XDP program that makes the relay's end accept frames that XDP sends back. */
static int add_pair(const struct lossy *link, const char *dev, int ns, const char *middle)
{
	char line[64];

	pair__add(link->middle_ns, middle, ns, dev);
	snprintf(line, sizeof(line), "ip link set %s addrgenmode none up", middle);
	netns_shell(line);
	return xdp_pass__attach(middle);
}

/* The device is in the thread's namespace. */
static int packet_socket(const char *dev)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)if_nametoindex(dev) };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), on = 1, bytes = BUFFER_BYTES;

	if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) || bind(fd, (struct sockaddr *)&at, sizeof(at)))
		fail(dev);
	return fd;
}

void lossy__open(struct lossy *link, struct lossy_rates there, struct lossy_rates back, uint64_t seed)
{
	int near, far;

	memset(link, 0, sizeof(*link));
	link->near_ns = netns_new();
	link->far_ns = netns_new();
	link->middle_ns = netns_new();
	link->pass[0] = add_pair(link, NEAR_DEV, link->near_ns, "m0");
	link->pass[1] = add_pair(link, FAR_DEV, link->far_ns, "m1");
	near = packet_socket("m0");
	far = packet_socket("m1");
	pair__set_up_near(link->near_ns);
	pair__set_up_far(link->far_ns);
	link->there = (struct lossy_direction){ .rates = there, .random = seed, .from = near, .to = far };
	link->back = (struct lossy_direction){ .rates = back, .random = ~seed, .from = far, .to = near };
	link->there.stopping = link->back.stopping = &link->stopping;
	if (lossy_relay__start(&link->there) || lossy_relay__start(&link->back))
		fail("threads");
	netns_enter(link->near_ns);
}

void lossy__close(struct lossy *link)
{
	atomic_store(&link->stopping, 1);
	lossy_relay__join(&link->there);
	lossy_relay__join(&link->back);
	close(link->there.from);
	close(link->there.to);
	close(link->pass[0]);
	close(link->pass[1]);
	close(link->near_ns);
	close(link->far_ns);
	close(link->middle_ns);
}

static void print_direction(const char *name, const struct lossy_counts *c)
{
	printf("%s: %" PRIu64 " frames, %" PRIu64 " lost, %" PRIu64 " doubled, %" PRIu64 " held, %" PRIu64 " of them overtaken, %" PRIu64
	       " lost because the relay was too slow\n",
	       name, c->frames, c->lost, c->doubled, c->held, c->overtaken, c->overrun);
}

void lossy__print(const struct lossy *link)
{
	print_direction("there", &link->there.counts);
	print_direction("back", &link->back.counts);
}
