/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A veth pair between two namespaces, with fixed addresses. The sender computes checksums. Used by tests in tests/live, tests/ring,
 * tests/segments and tests/transfer, and by benchmarks. The namespaces have no name, and disappear with the process.
 */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/xdp_pass.h"

#define NEAR_MAC "02:00:00:00:78:02"
#define FAR_MAC  "02:00:00:00:78:01"

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void shell(const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	netns_shell(line);
}

void pair__add(int ns, const char *dev, int other_ns, const char *other_dev)
{
	netns_enter(ns);
	shell("ip link add %s numrxqueues 4 numtxqueues 4 type veth peer name %s numrxqueues 4 numtxqueues 4 "
	      "netns /proc/%d/fd/%d",
	      dev, other_dev, (int)getpid(), other_ns);
}

/*
 * Disables checksum and segmentation offload: the relay forwards bytes only, so checksums are computed here and each frame is
 * separate.
 */
static void set_up(int ns, const char *dev, const char *mac, const char *addr, const char *addr6, const char *other_mac, const char *other,
		   const char *other6)
{
	netns_enter(ns);
	shell("ip link set lo up");
	shell("ip link set %s addrgenmode none address %s up", dev, mac);
	shell("ethtool -K %s tx off tso off gso off >/dev/null", dev);
	shell("ethtool -K %s tx-udp-segmentation off >/dev/null 2>&1 || true", dev);
	shell("ip addr add %s/24 dev %s", addr, dev);
	shell("ip addr add %s/64 dev %s nodad", addr6, dev);
	shell("ip neigh replace %s lladdr %s dev %s nud permanent", other, other_mac, dev);
	shell("ip neigh replace %s lladdr %s dev %s nud permanent", other6, other_mac, dev);
}

void pair__set_up_near(int ns)
{
	set_up(ns, NEAR_DEV, NEAR_MAC, NEAR_ADDR, NEAR_ADDR6, FAR_MAC, FAR_ADDR, FAR_ADDR6);
}

void pair__set_up_far(int ns)
{
	set_up(ns, FAR_DEV, FAR_MAC, FAR_ADDR, FAR_ADDR6, NEAR_MAC, NEAR_ADDR, NEAR_ADDR6);
}

void pair__open(struct pair *p)
{
	p->near_ns = netns_new();
	p->far_ns = netns_new();
	pair__add(p->near_ns, NEAR_DEV, p->far_ns, FAR_DEV);
	pair__set_up_far(p->far_ns);
	pair__set_up_near(p->near_ns);
	p->pass = xdp_pass__attach(NEAR_DEV);
}

void pair__close(struct pair *p)
{
	close(p->pass);
	close(p->near_ns);
	close(p->far_ns);
}
