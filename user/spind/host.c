/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Addresses and interfaces of a holder's network namespace (host.h). Called by client.c, by_rule.c and holder.c of spind. A thread follows
 * address changes; a lock protects the table of interfaces. An interface without an address receives no socket's datagrams: those of a
 * bridge's port, for example, arrive at the bridge.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include <bpf/bpf.h>

#include "kernel/probe.h"
#include "user/libspin/error.h"
#include "user/libspin/guard.h"
#include "user/spind/host.h"

#define REFRESH_US 50000 /* minimum time between two refreshes of the addresses */

static struct spin_guards guards;
static int changes_fd = -1;
static uint32_t generation; /* the value of each address in the map: the last refresh that has seen it; other threads read it */
static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t first_done = PTHREAD_COND_INITIALIZER; /* signalled after the first refresh */
static int is_known;                                         /* 1: that refresh is over */

/* Writes the map's key of an address. Returns 0 if it is not an IP address. */
static int address_key(const struct sockaddr *from, uint8_t key[16])
{
	memset(key, 0, 16);
	if (from && from->sa_family == AF_INET) {
		key[10] = key[11] = 0xff;
		memcpy(key + 12, &((const struct sockaddr_in *)from)->sin_addr, 4);
		return 1;
	}
	if (from && from->sa_family == AF_INET6) {
		memcpy(key, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
		return 1;
	}
	return 0;
}

/* Removes the addresses that the last update did not find. */
static void remove_stale(void)
{
	uint8_t key[16], next[16];
	uint32_t seen;
	int more = !bpf_map_get_next_key(guards.addresses_fd, NULL, next);

	while (more) {
		memcpy(key, next, sizeof(key));
		more = !bpf_map_get_next_key(guards.addresses_fd, key, next);
		if (!bpf_map_lookup_elem(guards.addresses_fd, key, &seen) && seen != generation)
			bpf_map_delete_elem(guards.addresses_fd, key);
	}
}

/* An address beyond the map's size has no entry: its packets go to the host without handlers. */
static void refresh(void)
{
	struct ifaddrs *list;
	char discarded[4096];
	uint8_t key[16];

	while (recv(changes_fd, discarded, sizeof(discarded), MSG_DONTWAIT) > 0)
		;
	if (getifaddrs(&list))
		return;
	__atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE);
	for (const struct ifaddrs *at = list; at; at = at->ifa_next)
		if (address_key(at->ifa_addr, key))
			bpf_map_update_elem(guards.addresses_fd, key, &generation, BPF_ANY);
	freeifaddrs(list);
	remove_stale();
	spin_guards__changed(&guards, generation);
}

/*
 * A namespace whose addresses change all the time, or that has very many, delays only this thread and the clients of this namespace: the
 * holder takes handoffs at once, for which all clients of spind wait.
 */
static void *follow_changes(void *arg)
{
	struct pollfd wait = { .fd = changes_fd, .events = POLLIN };

	refresh();
	pthread_mutex_lock(&first_lock);
	is_known = 1;
	pthread_cond_broadcast(&first_done);
	pthread_mutex_unlock(&first_lock);
	for (;;) {
		if (poll(&wait, 1, -1) > 0)
			refresh();
		usleep(REFRESH_US);
	}
	return arg;
}

unsigned host__changes(void)
{
	pthread_mutex_lock(&first_lock);
	while (!is_known)
		pthread_cond_wait(&first_done, &first_lock);
	pthread_mutex_unlock(&first_lock);
	return __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
}

int host__open(const struct settings *settings)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR };
	int err = spin_guards__open(&guards, settings->hpu_percent, settings->events);
	pthread_t thread;

	if (err)
		return err;
	changes_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (changes_fd < 0 || bind(changes_fd, (struct sockaddr *)&address, sizeof(address)))
		return spin_fail(-errno, "cannot watch this host's addresses: %s", strerror(errno));
	if (pthread_create(&thread, NULL, follow_changes, NULL))
		return spin_fail(-EAGAIN, "no thread to watch this host's addresses");
	pthread_detach(thread);
	return 0;
}

const struct spin_guards *host__guards(void)
{
	return &guards;
}

/* --- interfaces --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct spin_nic *open_nics[64];

static int is_gone(struct spin_nic *nic)
{
	char name[IF_NAMESIZE];

	return !if_indextoname((unsigned)spin_nic__ifindex(nic), name);
}

/* Returns the handle of an interface, opened on first use. The caller holds the lock. */
static int find_interface(const char *name, struct spin_nic **out)
{
	const int index = (int)if_nametoindex(name);
	struct spin_nic **free_slot = NULL;

	for (size_t i = 0; i < sizeof(open_nics) / sizeof(open_nics[0]); i++) {
		if (open_nics[i] && is_gone(open_nics[i])) { /* deleted: contexts that are attached to it keep the handle */
			spin_nic__close(open_nics[i]);
			open_nics[i] = NULL;
		}
		if (open_nics[i] &&
		    spin_nic__ifindex(open_nics[i]) == index) { /* the interface may have been renamed since it was opened */
			*out = open_nics[i];
			return 0;
		}
		if (!open_nics[i] && !free_slot)
			free_slot = &open_nics[i];
	}
	if (!free_slot)
		return spin_fail(
			-ENOSPC,
			"this namespace has more interfaces than spind takes (64): name those to take in spind.conf, `interfaces`");
	*out = NULL;
	if (spin_nic__open(name, free_slot))
		return -ENODEV;
	*out = *free_slot;
	return 0;
}

/* Returns 1 for Ethernet and lo. */
static int is_ethernet_or_loopback(const struct ifaddrs *list, const char *name)
{
	for (const struct ifaddrs *at = list; at; at = at->ifa_next)
		if (at->ifa_addr && at->ifa_addr->sa_family == AF_PACKET && !strcmp(at->ifa_name, name)) {
			int type = ((const struct sockaddr_ll *)at->ifa_addr)->sll_hatype;

			return type == ARPHRD_ETHER || type == ARPHRD_LOOPBACK;
		}
	return 0;
}

static int is_eligible(const struct settings *settings, const struct ifaddrs *list, const struct ifaddrs *at, int ifindex)
{
	uint8_t key[16];

	if (!(at->ifa_flags & IFF_UP) || !address_key(at->ifa_addr, key) || !is_ethernet_or_loopback(list, at->ifa_name))
		return 0;
	if (ifindex && if_nametoindex(at->ifa_name) != (unsigned)ifindex)
		return 0;
	return settings__allow(settings, at->ifa_name);
}

/* Adds the eligible interfaces, virtual or physical ones, that are not in `nics` yet. */
static int collect_interfaces(const struct settings *settings, const struct ifaddrs *list, int ifindex, int is_virtual,
			      struct spin_nic *nics[HOST_INTERFACES_MAX], int *count)
{
	for (const struct ifaddrs *at = list; at; at = at->ifa_next) {
		struct spin_nic *nic = NULL;
		int is_known = 0, err;

		if (!is_eligible(settings, list, at, ifindex) || kernel_probe__virtual(at->ifa_name) != is_virtual)
			continue;
		err = find_interface(at->ifa_name, &nic);
		if (err)
			return err;
		for (int i = 0; i < *count; i++)
			is_known |= nics[i] == nic;
		if (is_known)
			continue;
		if (*count == HOST_INTERFACES_MAX)
			return spin_fail(-E2BIG,
					 "this namespace has more than %d interfaces with addresses: bind the socket to a device "
					 "(SO_BINDTODEVICE), or name those to take in spind.conf, `interfaces`",
					 HOST_INTERFACES_MAX);
		nics[(*count)++] = spin_nic__hold(nic);
	}
	return 0;
}

void host__close(struct spin_nic **nics, int count)
{
	for (int i = 0; i < count; i++)
		spin_nic__close(nics[i]);
}

int host__interface(const char *name, struct spin_nic **out)
{
	int err;

	pthread_mutex_lock(&lock);
	err = find_interface(name, out);
	if (!err)
		spin_nic__hold(*out);
	pthread_mutex_unlock(&lock);
	return err;
}

int host__interfaces(const struct settings *settings, int ifindex, struct spin_nic *nics[HOST_INTERFACES_MAX])
{
	struct ifaddrs *list;
	int count = 0, err;

	if (getifaddrs(&list))
		return spin_fail(-errno, "cannot list this namespace's interfaces: %s", strerror(errno));
	pthread_mutex_lock(&lock);
	err = collect_interfaces(settings, list, ifindex, 1, nics, &count);
	if (!err)
		err = collect_interfaces(settings, list, ifindex, 0, nics, &count);
	pthread_mutex_unlock(&lock);
	freeifaddrs(list);
	if (err) {
		host__close(nics, count);
		return err;
	}
	if (!count)
		return spin_fail(
			-ENODEV,
			"no interface here has datagrams for the socket: one that is up, has an address and is allowed by spind.conf "
			"(`interfaces`)");
	return count;
}
