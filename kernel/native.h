/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NATIVE_H
#define KERNEL_NATIVE_H

/* Whether a driver that has native XDP takes a program as it is set now, and whether it should be given one. */
#include "kernel/probe_iface.h"

enum kernel_native_verdict {
	KERNEL_NATIVE_YES,
	KERNEL_NATIVE_PERHAPS, /* what decides it cannot be seen from here */
	KERNEL_NATIVE_NO,
	KERNEL_NATIVE_UNSAFE, /* the driver takes it, and then crashes or loses packets: not to be tried */
};

struct kernel_native {
	enum kernel_native_verdict verdict;
	char why[280], advice[240]; /* unless YES; advice may be "" */
};

/* Of an interface that was read in `net`. */
void kernel_native__look(const struct probe_net *net, const struct probe_iface *iface, struct kernel_native *out);

/* The same by name, in the present namespace. Drivers without such conditions cost a few ioctls. */
void kernel_native__look_at(const char *ifname, struct kernel_native *out);

/* Receive queues that leave virtio_net one per possible CPU for what XDP sends; 0: it has not so many. */
unsigned kernel_native__virtio_queues(const struct probe_iface *iface);

#endif
