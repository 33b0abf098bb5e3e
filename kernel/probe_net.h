/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_PROBE_NET_H
#define KERNEL_PROBE_NET_H

/*
 * A network namespace, seen through a route socket and a sysfs mount that both stay in the namespace where they were opened. So the
 * peer of a veth in another namespace can be examined without entering that namespace.
 */
struct probe_net {
	int route_fd, generic_fd, inet_fd;
	int sysfs_fd;  /* -1: could not be opened */
	char path[80]; /* of another namespace: for nsenter --net=PATH; "": the present one */
	char name[80]; /* "", or how to name another namespace: "namespace c0", "the namespace of process 7 (sh)" */
	int netns_fd;  /* for setns(), while kernel_net__each() is at it; else not set */
};

/* Opens the current namespace. 0 or -errno; must be closed in either case. */
int kernel_net__open(struct probe_net *out);
void kernel_net__close(struct probe_net *net);

/*
 * The one that `own` knows by number (IFLA_LINK_NETNSID), looked for in
 * /run/netns and among processes. -ENOENT: not visible; -EPERM: not ours to enter.
 */
int kernel_net__open_numbered(const struct probe_net *own, int number, struct probe_net *out);

/* Calls fn with the present one and then with those that can be seen there, some twice, until it returns other than 0. */
void kernel_net__each(int (*fn)(void *arg, const struct probe_net *net), void *arg);

#endif
