/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_PROBE_NET_H
#define KERNEL_PROBE_NET_H

/*
 * A network namespace, seen through a route socket and a sysfs mount that both stay in the namespace where they were opened. So the peer of
 * a veth in another namespace can be examined without entering that namespace. Called by libspin, spinctl doctor and other files of
 * kernel/.
 */
struct probe_net {
	int route_fd, generic_fd, inet_fd;
	int sysfs_fd;  /* -1: could not be opened */
	char path[80]; /* path of another namespace, for nsenter --net=PATH; "": the current one */
	char name[80]; /* "", or a name for another namespace: "namespace c0", "the namespace of process 7 (sh)" */
	int netns_fd;  /* for setns(); valid only during kernel_net__each() */
};

/* Opens the current namespace. Returns 0 or -errno. The caller must close it in either case. */
int kernel_net__open(struct probe_net *out);
void kernel_net__close(struct probe_net *net);

/*
 * Opens the namespace that `own` knows by this id (IFLA_LINK_NETNSID). Searches /run/netns and the visible processes. Returns -ENOENT if it
 * is not visible, -EPERM if this process may not enter it.
 */
int kernel_net__open_numbered(const struct probe_net *own, int number, struct probe_net *out);

/* Calls fn with the current namespace, then with those that are visible, some of them twice, until fn returns nonzero. */
void kernel_net__each(int (*fn)(void *arg, const struct probe_net *net), void *arg);

#endif
