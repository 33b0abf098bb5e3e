/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
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

#include "tests/common/lossy.h"
#include "tests/common/lossy_relay.h"
#include "tests/common/netns.h"

#define NEAR_MAC "02:00:00:00:78:02"
#define FAR_MAC  "02:00:00:00:78:01"
#define BUFFER_BYTES (64 << 20)

static void fail(const char *what)
{
	printf("FAIL: lossy link: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void shell(const char *format, const char *a, const char *b, const char *c)
{
	char line[512];

	snprintf(line, sizeof(line), format, a, b, c);
	netns_shell(line);
}

/*
 * Checksums are made by the sender, since the relay passes on bytes only; frames come one by one. GRO makes the
 * middle take what XDP sends back.
 */
static void set_up_end(int ns, const char *dev, const char *mac, const char *other_mac)
{
	const int near = !strcmp(dev, LOSSY_NEAR_DEV);

	netns_enter(ns);
	netns_shell("ip link set lo up");
	shell("ip link set %s addrgenmode none address %s up", dev, mac, "");
	shell("ethtool -K %s tx off tso off gso off gro on tx-udp-segmentation off >/dev/null 2>&1 || "
	      "ethtool -K %s tx off tso off gso off gro on >/dev/null", dev, dev, "");
	shell("ip addr add %s/24 dev %s", near ? LOSSY_NEAR_ADDR : LOSSY_FAR_ADDR, dev, "");
	shell("ip addr add %s/64 dev %s nodad", near ? LOSSY_NEAR_ADDR6 : LOSSY_FAR_ADDR6, dev, "");
	shell("ip neigh replace %s lladdr %s dev %s nud permanent", near ? LOSSY_FAR_ADDR : LOSSY_NEAR_ADDR, other_mac, dev);
	shell("ip neigh replace %s lladdr %s dev %s nud permanent", near ? LOSSY_FAR_ADDR6 : LOSSY_NEAR_ADDR6, other_mac,
	      dev);
}

static void add_pair(const struct lossy *link, const char *dev, const char *middle)
{
	char line[256];

	netns_enter(link->middle_ns);
	snprintf(line, sizeof(line),
		 "ip link add %s numrxqueues 4 numtxqueues 4 type veth peer name %s numrxqueues 4 numtxqueues 4 "
		 "netns /proc/%d/fd/%d", middle, dev, (int)getpid(), !strcmp(dev, LOSSY_NEAR_DEV) ? link->near_ns : link->far_ns);
	netns_shell(line);
	shell("ip link set %s addrgenmode none up", middle, "", "");
	shell("ethtool -K %s gro on", middle, "", "");
}

/* Of the namespace that the thread is in. */
static int packet_socket(const char *dev)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
				  .sll_ifindex = (int)if_nametoindex(dev) };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), on = 1, bytes = BUFFER_BYTES;

	if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) ||
	    bind(fd, (struct sockaddr *)&at, sizeof(at)))
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
	add_pair(link, LOSSY_NEAR_DEV, "m0");
	add_pair(link, LOSSY_FAR_DEV, "m1");
	near = packet_socket("m0");
	far = packet_socket("m1");
	set_up_end(link->near_ns, LOSSY_NEAR_DEV, NEAR_MAC, FAR_MAC);
	set_up_end(link->far_ns, LOSSY_FAR_DEV, FAR_MAC, NEAR_MAC);
	link->there = (struct lossy_way){ .rates = there, .random = seed, .from = near, .to = far };
	link->back = (struct lossy_way){ .rates = back, .random = ~seed, .from = far, .to = near };
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
	close(link->near_ns);
	close(link->far_ns);
	close(link->middle_ns);
}

static void print_way(const char *name, const struct lossy_counts *c)
{
	printf("%s: %" PRIu64 " frames, %" PRIu64 " lost, %" PRIu64 " doubled, %" PRIu64 " held, %" PRIu64 " of them overtaken, %"
	       PRIu64 " lost because the relay was too slow\n", name, c->frames, c->lost, c->doubled, c->held, c->overtaken,
	       c->overrun);
}

void lossy__print(const struct lossy *link)
{
	print_way("there", &link->there.counts);
	print_way("back", &link->back.counts);
}
