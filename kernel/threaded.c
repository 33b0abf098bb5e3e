/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Switches threaded NAPI of an interface on, so that each receive queue can be an HPU (a processor of handlers) of its own, and off again.
 * After a kill the next process switches it off. Called by libspin and spinctl.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "kernel/netlink.h"
#include "kernel/probe_bpf.h"
#include "kernel/probe_iface.h"
#include "kernel/threaded.h"

#define KIND "threaded"

int kernel_threaded__read(int ifindex, uint32_t *queues, int *threaded)
{
	struct probe_iface iface;
	struct probe_net net;
	int err = kernel_net__open(&net);

	if (!err)
		err = kernel_iface__read_index(&net, ifindex, &iface);
	kernel_net__close(&net);
	if (err)
		return err;
	*queues = iface.rx_queues_max > iface.rx_queues ? iface.rx_queues_max : iface.rx_queues;
	*threaded = iface.threaded;
	return 0;
}

static int write_digit(int sysfs_fd, const char *name, int on)
{
	char path[64];
	int fd, err;

	snprintf(path, sizeof(path), "class/net/%s/threaded", name);
	fd = openat(sysfs_fd, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -EOPNOTSUPP;
	err = write(fd, on ? "1" : "0", 1) == 1 ? 0 : -errno;
	close(fd);
	return err;
}

/* --- the record --- */

static void write_record(struct threaded *t)
{
	char line[RECORD_LINE_BYTES];
	const uint8_t *a = t->iface.address;

	snprintf(line, sizeof(line), "%d %02x%02x%02x%02x%02x%02x%02x%02x %s\n", t->iface.ifindex, a[0], a[1], a[2], a[3], a[4], a[5], a[6],
		 a[7], t->iface.name);
	record__write(&t->record, KIND, line);
}

static int read_line(const char *line, struct threaded_iface *iface)
{
	unsigned a[8];

	if (sscanf(line, "%d %2x%2x%2x%2x%2x%2x%2x%2x %15s", &iface->ifindex, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &a[6], &a[7],
		   iface->name) != 10)
		return -EINVAL;
	for (unsigned i = 0; i < sizeof(iface->address); i++)
		iface->address[i] = (uint8_t)a[i];
	return 0;
}

/* --- the setting --- */

int kernel_threaded__enable(int ifindex, struct threaded *t)
{
	struct probe_iface iface;
	struct probe_net net;
	int err = kernel_net__open(&net);

	*t = (struct threaded){ .record.fd = -1 };
	if (!err)
		err = kernel_iface__read_index(&net, ifindex, &iface);
	/* the setting is not known if sysfs belongs to another namespace */
	if (!err && iface.threaded < 0)
		err = -EOPNOTSUPP;
	if (!err) {
		t->iface.ifindex = ifindex;
		memcpy(t->iface.address, iface.address, sizeof(t->iface.address));
		snprintf(t->iface.name, sizeof(t->iface.name), "%s", iface.name);
		write_record(t);
		err = write_digit(net.sysfs_fd, iface.name, 1);
		if (err) {
			record__remove(&t->record);
			record__close(&t->record);
		}
	}
	kernel_net__close(&net);
	return err;
}

/* Whether it is the same interface. A move keeps its address, and its index unless that is taken in the new namespace. */
static int is_same(const struct threaded_iface *a, const struct probe_iface *b)
{
	static const uint8_t none[sizeof(a->address)]; /* all zero: an address that many tunnels have */
	int same_index = a->ifindex == b->ifindex, same_name = !strcmp(a->name, b->name);

	if (memcmp(a->address, b->address, sizeof(a->address)))
		return 0;
	return memcmp(a->address, none, sizeof(none)) ? same_index || same_name : same_index && same_name;
}

/* Attaches by netlink, as the interface may be in another namespace, and only if no other program is there. fd -1 detaches `expected`. */
static int set_program(const struct probe_net *net, int ifindex, int fd, int expected)
{
	struct ifinfomsg fixed = { .ifi_index = ifindex };
	uint32_t flags = XDP_FLAGS_DRV_MODE | (fd < 0 ? XDP_FLAGS_REPLACE : XDP_FLAGS_UPDATE_IF_NOEXIST);
	struct netlink_request r;
	struct nlattr *nest;

	netlink__begin(&r, RTM_SETLINK, NLM_F_ACK, &fixed, sizeof(fixed));
	nest = netlink__nest(&r, IFLA_XDP | NLA_F_NESTED);
	netlink__put(&r, IFLA_XDP_FD, &fd, sizeof(fd));
	netlink__put(&r, IFLA_XDP_FLAGS, &flags, sizeof(flags));
	if (fd < 0)
		netlink__put(&r, IFLA_XDP_EXPECTED_FD, &expected, sizeof(expected));
	netlink__nest_end(&r, nest);
	return netlink__transact(net->route_fd, &r, NULL, NULL);
}

/*
 * The kernel takes the setting only while the interface has NAPI, and a veth has NAPI only while it has an XDP program. So a program that
 * passes all packets is attached during the change, in place of the killed process's.
 */
static int disable_threads(const struct probe_net *net, const struct probe_iface *iface)
{
	int err = write_digit(net->sysfs_fd, iface->name, 0), fd;

	if (err != -EOPNOTSUPP)
		return err;
	fd = kernel_bpf__xdp_pass();
	if (fd < 0)
		return fd;
	if (!set_program(net, iface->ifindex, fd, -1)) {
		err = write_digit(net->sysfs_fd, iface->name, 0);
		set_program(net, iface->ifindex, -1, fd);
	}
	close(fd);
	return err;
}

struct search {
	const struct threaded_iface *iface;
	int is_undone;
};

static int undo_in_namespace(void *arg, const struct probe_net *net)
{
	struct search *s = arg;
	struct probe_iface iface;

	if ((kernel_iface__read_index(net, s->iface->ifindex, &iface) || !is_same(s->iface, &iface)) &&
	    (kernel_iface__read(net, s->iface->name, &iface) || !is_same(s->iface, &iface)))
		return 0;
	s->is_undone = iface.threaded <= 0 || !disable_threads(net, &iface);
	return 1;
}

void kernel_threaded__disable(struct threaded *t)
{
	struct search s = { .iface = &t->iface };

	kernel_net__each(undo_in_namespace, &s);
	if (s.is_undone)
		record__remove(&t->record);
	record__close(&t->record); /* if the file was not removed, the next start tries again */
}

static int undo(const char *line)
{
	struct threaded_iface iface;
	struct search s = { .iface = &iface };

	if (!read_line(line, &iface))
		kernel_net__each(undo_in_namespace, &s);
	return s.is_undone;
}

void kernel_threaded__recover(void)
{
	record__recover(KIND, undo);
}
