/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Keeps a table of next hops (neighbours' MAC addresses), in which handlers' programs look up where to send a packet. Called by the thread
 * in threads.c that sends handlers' packets. A program first asks bpf_fib_lookup(), which fails on interfaces that do not forward
 * (net.ipv4.conf.*.forwarding), as on most hosts. So when the thread has sent a packet by a socket, it stores the next hop that the kernel
 * chose. Entries are refreshed every few seconds, and removed if no program has used them since.
 */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include <bpf/bpf.h>

#include "kernel/netlink.h"
#include "user/libspin/requests/egress.h"
#include "user/libspin/requests/private.h"

#define VALID_STATES (NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_PROBE | NUD_STALE | NUD_DELAY)
#define REFRESH_S    5        /* interval of refreshing entries; an entry that was not used since is removed */
#define RETRY_NS     10000000 /* shortest interval between queries of one target */

struct route_reply {
	size_t address_bytes;
	int next_hop; /* 1: `hop` is a router's address */
	uint32_t hop[4];
	int valid, stale;
	uint8_t mac[6];
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void on_route(void *arg, const struct nlmsghdr *m)
{
	const struct rtmsg *route = NLMSG_DATA(m);
	const struct nlattr *a[RTA_MAX + 1];
	struct route_reply *out = arg;

	if (m->nlmsg_type != RTM_NEWROUTE || route->rtm_type != RTN_UNICAST)
		return;
	netlink__attributes(m, sizeof(*route), a, RTA_MAX);
	out->valid = 1;
	if (a[RTA_GATEWAY] && a[RTA_GATEWAY]->nla_len >= NLA_HDRLEN + out->address_bytes) {
		out->next_hop = 1;
		memcpy(out->hop, (const char *)a[RTA_GATEWAY] + NLA_HDRLEN, out->address_bytes);
	} else if (a[RTA_VIA]) {
		out->valid = 0; /* router of the other IP version: left to the kernel */
	}
}

static void on_neighbour(void *arg, const struct nlmsghdr *m)
{
	const struct ndmsg *neighbour = NLMSG_DATA(m);
	const struct nlattr *a[NDA_MAX + 1];
	struct route_reply *out = arg;

	if (m->nlmsg_type != RTM_NEWNEIGH)
		return;
	netlink__attributes(m, sizeof(*neighbour), a, NDA_MAX);
	if (!(neighbour->ndm_state & VALID_STATES) || !a[NDA_LLADDR] || a[NDA_LLADDR]->nla_len < NLA_HDRLEN + sizeof(out->mac))
		return;
	out->valid = 1;
	out->stale = neighbour->ndm_state == NUD_STALE;
	memcpy(out->mac, (const char *)a[NDA_LLADDR] + NLA_HDRLEN, sizeof(out->mac));
}

static int query_route(int fd, const struct spin_neigh_key *key, struct route_reply *out)
{
	const struct rtmsg fixed = { .rtm_family = (unsigned char)(key->ip_version == 4 ? AF_INET : AF_INET6),
				     .rtm_dst_len = (unsigned char)(out->address_bytes * 8) };
	struct netlink_request r;

	netlink__begin(&r, RTM_GETROUTE, 0, &fixed, sizeof(fixed));
	netlink__put(&r, RTA_DST, key->addr, out->address_bytes);
	netlink__put(&r, RTA_OIF, &key->ifindex, sizeof(key->ifindex));
	return netlink__transact(fd, &r, on_route, out) || !out->valid ? -ENOENT : 0;
}

/* Asks the kernel for the neighbour's MAC address. use 1: only makes it verify the neighbour, as sending would (NTF_USE). */
static int query_neighbour(int fd, const struct spin_neigh_key *key, struct route_reply *out, int use)
{
	const struct ndmsg fixed = { .ndm_family = (unsigned char)(key->ip_version == 4 ? AF_INET : AF_INET6),
				     .ndm_ifindex = (int)key->ifindex,
				     .ndm_flags = use ? NTF_USE : 0 };
	struct netlink_request r;

	netlink__begin(&r, use ? RTM_NEWNEIGH : RTM_GETNEIGH, 0, &fixed, sizeof(fixed));
	netlink__put(&r, NDA_DST, out->next_hop ? out->hop : key->addr, out->address_bytes);
	if (use)
		return netlink__transact(fd, &r, NULL, NULL);
	out->valid = 0;
	return netlink__transact(fd, &r, on_neighbour, out) || !out->valid ? -ENOENT : 0;
}

/* Reads this host's address on that interface, and its MTU. */
static int read_interface(int socket, uint32_t ifindex, struct spin_neigh *hop)
{
	struct ifreq req = { .ifr_ifindex = (int)ifindex };

	if (ioctl(socket, SIOCGIFNAME, &req) || ioctl(socket, SIOCGIFMTU, &req))
		return -errno;
	hop->mtu = (uint32_t)req.ifr_mtu;
	if (ioctl(socket, SIOCGIFHWADDR, &req))
		return -errno;
	memcpy(hop->from, req.ifr_hwaddr.sa_data, sizeof(hop->from));
	return 0;
}

/* Asks the kernel for the route and neighbour; 0 with *hop filled in. */
static int resolve(const struct requests *r, const struct spin_neigh_key *key, struct spin_neigh *hop)
{
	struct route_reply a = { .address_bytes = key->ip_version == 4 ? 4 : 16 };
	int err = query_route(r->hops_fd, key, &a);

	if (!err)
		err = query_neighbour(r->hops_fd, key, &a, 0);
	if (!err && a.stale)
		query_neighbour(r->hops_fd, key, &a, 1);
	if (!err)
		err = read_interface(r->raw4, key->ifindex, hop);
	if (!err)
		memcpy(hop->to, a.mac, sizeof(hop->to));
	return err;
}

void requests_neigh__learn(struct spin_ctx *ctx, const struct spin_process *target)
{
	struct requests *r = ctx->requests;
	struct spin_neigh_key key = { .ip_version = target->ip_version };
	struct spin_neigh hop = { 0 };
	uint64_t now = now_ns();

	memcpy(key.addr, target->addr, sizeof(key.addr));
	if (r->hops_fd < 0 || (!memcmp(r->tried, key.addr, sizeof(key.addr)) && now - r->tried_ns < RETRY_NS))
		return;
	memcpy(r->tried, key.addr, sizeof(key.addr));
	r->tried_ns = now;
	for (unsigned i = 0; i < SPIN_EGRESS_DEVS; i++) {
		key.ifindex = __atomic_load_n(&ctx->out->dev[i].ifindex, __ATOMIC_ACQUIRE);
		if (!key.ifindex || resolve(r, &key, &hop) || bpf_map_update_elem(r->hops_map, &key, &hop, BPF_ANY))
			continue;
		if (!r->hops)
			r->looked_ns = now;
		r->hops = 1;
	}
}

int requests_neigh__wait_ms(const struct requests *r)
{
	return r->hops ? 1000 : -1;
}

/* Collects all keys first: deleting an entry during the iteration would restart it. */
static unsigned collect_keys(const struct requests *r, struct spin_neigh_key keys[SPIN_HOPS])
{
	unsigned count = 0;

	while (count < SPIN_HOPS && !bpf_map_get_next_key(r->hops_map, count ? &keys[count - 1] : NULL, &keys[count]))
		count++;
	return count;
}

void requests_neigh__refresh(struct requests *r)
{
	struct spin_neigh_key keys[SPIN_HOPS];
	uint64_t now = now_ns();
	unsigned count;

	if (!r->hops || now - r->looked_ns < (uint64_t)REFRESH_S * 1000000000u)
		return;
	r->looked_ns = now;
	r->hops = 0;
	count = collect_keys(r, keys);
	for (unsigned i = 0; i < count; i++) {
		struct spin_neigh hop = { 0 };

		if (!bpf_map_lookup_elem(r->hops_map, &keys[i], &hop) && hop.used && !resolve(r, &keys[i], &hop)) {
			hop.used = 0;
			bpf_map_update_elem(r->hops_map, &keys[i], &hop, BPF_EXIST);
			r->hops = 1;
		} else {
			bpf_map_delete_elem(r->hops_map, &keys[i]);
		}
	}
}

int requests_neigh__open(struct requests *r)
{
	r->hops_fd = netlink__open(NETLINK_ROUTE);
	return r->hops_fd < 0 ? spin_fail(r->hops_fd, "cannot ask the kernel for routes: %s", strerror(-r->hops_fd)) : 0;
}

void requests_neigh__close(struct requests *r)
{
	if (r->hops_fd >= 0)
		close(r->hops_fd);
	r->hops_fd = -1;
}
