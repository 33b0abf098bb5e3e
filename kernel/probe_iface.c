/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads the properties of an interface: driver, XDP mode, MTU, features, queues. Called by libspin and `spinctl doctor`. Changes nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "kernel/netlink.h"
#include "kernel/drivers.h"
#include "kernel/probe_iface.h"
#include "kernel/textfile.h"

/* The kernel's netdev family (include/uapi/linux/netdev.h, since 6.3), which older headers lack. */
enum { NETDEV_DEV_GET = 1 };
enum { NETDEV_IFINDEX = 1, NETDEV_XDP_FEATURES = 3, NETDEV_XDP_ZC_MAX_SEGS = 4 };

static void parse_xdp(const struct nlattr *xdp, struct probe_iface *out)
{
	const struct nlattr *a[IFLA_XDP_MAX + 1];
	uint32_t id;

	netlink__nested(xdp, a, IFLA_XDP_MAX);
	id = (uint32_t)netlink__number(a[IFLA_XDP_PROG_ID]);
	switch (netlink__number(a[IFLA_XDP_ATTACHED])) {
	case XDP_ATTACHED_DRV:
		out->native_id = id;
		break;
	case XDP_ATTACHED_SKB:
		out->generic_id = id;
		break;
	case XDP_ATTACHED_HW:
		out->offloaded_id = id;
		break;
	case XDP_ATTACHED_MULTI:
		out->native_id = (uint32_t)netlink__number(a[IFLA_XDP_DRV_PROG_ID]);
		out->generic_id = (uint32_t)netlink__number(a[IFLA_XDP_SKB_PROG_ID]);
		out->offloaded_id = (uint32_t)netlink__number(a[IFLA_XDP_HW_PROG_ID]);
	}
}

/* Callback for the answer to RTM_GETLINK. */
static void parse_link(void *arg, const struct nlmsghdr *answer)
{
	const struct ifinfomsg *info = NLMSG_DATA(answer);
	const struct nlattr *a[IFLA_MAX + 1], *kind[IFLA_INFO_MAX + 1];
	struct probe_iface *out = arg;

	if (answer->nlmsg_type != RTM_NEWLINK)
		return;
	netlink__attributes(answer, sizeof(*info), a, IFLA_MAX);
	out->ifindex = info->ifi_index;
	snprintf(out->name, sizeof(out->name), "%s", netlink__string(a[IFLA_IFNAME]));
	out->up = !!(info->ifi_flags & IFF_UP);
	out->carrier = netlink__number(a[IFLA_CARRIER]) != 0;
	out->mtu = (unsigned)netlink__number(a[IFLA_MTU]);
	out->max_mtu = (unsigned)netlink__number(a[IFLA_MAX_MTU]);
	out->rx_queues = (unsigned)netlink__number(a[IFLA_NUM_RX_QUEUES]);
	out->tx_queues = (unsigned)netlink__number(a[IFLA_NUM_TX_QUEUES]);
	if (a[IFLA_ADDRESS] && a[IFLA_ADDRESS]->nla_len == NLA_HDRLEN + 6)
		memcpy(out->address, netlink__string(a[IFLA_ADDRESS]), 6);
	snprintf(out->bus, sizeof(out->bus), "%s", netlink__string(a[IFLA_PARENT_DEV_BUS_NAME]));
	if (a[IFLA_LINKINFO]) {
		netlink__nested(a[IFLA_LINKINFO], kind, IFLA_INFO_MAX);
		snprintf(out->kind, sizeof(out->kind), "%s", netlink__string(kind[IFLA_INFO_KIND]));
	} else if (info->ifi_flags & IFF_LOOPBACK) {
		snprintf(out->kind, sizeof(out->kind), "loopback");
	}
	out->peer_net = a[IFLA_LINK_NETNSID] ? (int)(int32_t)netlink__number(a[IFLA_LINK_NETNSID]) : -1;
	if (!strcmp(out->kind, "veth"))
		out->peer_ifindex = (int)netlink__number(a[IFLA_LINK]);
	if (a[IFLA_XDP])
		parse_xdp(a[IFLA_XDP], out);
}

static void parse_family(void *arg, const struct nlmsghdr *answer)
{
	const struct nlattr *a[CTRL_ATTR_FAMILY_ID + 1];

	netlink__attributes(answer, sizeof(struct genlmsghdr), a, CTRL_ATTR_FAMILY_ID);
	*(uint16_t *)arg = (uint16_t)netlink__number(a[CTRL_ATTR_FAMILY_ID]);
}

static void parse_xdp_features(void *arg, const struct nlmsghdr *answer)
{
	const struct nlattr *a[NETDEV_XDP_ZC_MAX_SEGS + 1];
	struct probe_iface *out = arg;

	netlink__attributes(answer, sizeof(struct genlmsghdr), a, NETDEV_XDP_ZC_MAX_SEGS);
	out->xdp_known = a[NETDEV_XDP_FEATURES] != NULL;
	out->xdp_features = netlink__number(a[NETDEV_XDP_FEATURES]);
	out->zerocopy_segments = (unsigned)netlink__number(a[NETDEV_XDP_ZC_MAX_SEGS]);
}

static void read_xdp_features(int generic_fd, struct probe_iface *out)
{
	struct genlmsghdr find = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 };
	struct genlmsghdr get = { .cmd = NETDEV_DEV_GET, .version = 1 };
	uint32_t ifindex = (uint32_t)out->ifindex;
	struct netlink_request r;
	uint16_t family = 0;

	if (generic_fd < 0)
		return;
	netlink__begin(&r, GENL_ID_CTRL, 0, &find, sizeof(find));
	netlink__put_string(&r, CTRL_ATTR_FAMILY_NAME, "netdev");
	if (netlink__transact(generic_fd, &r, parse_family, &family) || !family)
		return;
	netlink__begin(&r, family, 0, &get, sizeof(get));
	netlink__put(&r, NETDEV_IFINDEX, &ifindex, sizeof(ifindex));
	netlink__transact(generic_fd, &r, parse_xdp_features, out);
}

/* The sysfs at hand may belong to another namespace that has an interface of the same name. Comparing the address detects this. */
static int read_threaded(int sysfs_fd, const struct probe_iface *iface)
{
	char path[96], address[32], ours[32];
	const uint8_t *b = iface->address;

	if (sysfs_fd < 0)
		return -1;
	snprintf(path, sizeof(path), "class/net/%s/ifindex", iface->name);
	if (textfile__number(sysfs_fd, path, -1) != iface->ifindex)
		return -1;
	snprintf(path, sizeof(path), "class/net/%s/address", iface->name);
	snprintf(ours, sizeof(ours), "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5]);
	if (!textfile__line(sysfs_fd, path, address, sizeof(address)) && strlen(address) == 17 && strcmp(address, ours))
		return -1;
	snprintf(path, sizeof(path), "class/net/%s/threaded", iface->name);
	if (faccessat(sysfs_fd, path, F_OK, 0) && errno == ENOENT)
		return PROBE_THREADED_ABSENT;
	return (int)textfile__number(sysfs_fd, path, -1);
}

/* Reads an interface by name, or by index if name is NULL. */
static int read_link(const struct probe_net *net, const char *name, int ifindex, struct probe_iface *out)
{
	struct ifinfomsg fixed = { .ifi_index = ifindex };
	struct netlink_request r;
	int err;

	*out = (struct probe_iface){ .peer_net = -1 };
	netlink__begin(&r, RTM_GETLINK, 0, &fixed, sizeof(fixed));
	if (name)
		netlink__put_string(&r, IFLA_IFNAME, name);
	err = netlink__transact(net->route_fd, &r, parse_link, out);
	if (err)
		return err;
	if (!out->ifindex)
		return -ENODEV;
	kernel_ethtool__read(net->inet_fd, out);
	read_xdp_features(net->generic_fd, out);
	out->threaded = read_threaded(net->sysfs_fd, out);
	return 0;
}

int kernel_iface__read(const struct probe_net *net, const char *name, struct probe_iface *out)
{
	return !*name || strlen(name) >= IFNAMSIZ ? -ENODEV : read_link(net, name, 0, out);
}

int kernel_iface__read_index(const struct probe_net *net, int ifindex, struct probe_iface *out)
{
	return read_link(net, NULL, ifindex, out);
}

struct list_callback {
	void (*fn)(void *arg, const char *name);
	void *arg;
};

static void call_with_name(void *arg, const struct nlmsghdr *answer)
{
	const struct nlattr *a[IFLA_IFNAME + 1];
	struct list_callback *l = arg;

	netlink__attributes(answer, sizeof(struct ifinfomsg), a, IFLA_IFNAME);
	if (answer->nlmsg_type == RTM_NEWLINK && a[IFLA_IFNAME])
		l->fn(l->arg, netlink__string(a[IFLA_IFNAME]));
}

int kernel_iface__each(const struct probe_net *net, void (*fn)(void *arg, const char *name), void *arg)
{
	struct ifinfomsg fixed = { 0 };
	struct netlink_request r;
	struct list_callback l = { fn, arg };

	netlink__begin(&r, RTM_GETLINK, NLM_F_DUMP, &fixed, sizeof(fixed));
	return netlink__transact(net->route_fd, &r, call_with_name, &l);
}

int kernel_iface__driver_has_xdp(const char *driver)
{
	const struct driver_row *row = kernel_drivers__find(driver);

	return row && row->native[DRIVERS_6_12] == DRIVER_YES;
}
