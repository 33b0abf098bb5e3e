/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NATIVE_H
#define KERNEL_NATIVE_H

/*
 * Whether a driver with native XDP accepts a program with the interface's current settings, and whether it should be given one. Called by
 * attach.c and `spinctl doctor`.
 */
#include "kernel/probe_iface.h"

/* Whether native mode should be tried. */
enum kernel_native_verdict {
	KERNEL_NATIVE_YES,
	KERNEL_NATIVE_PERHAPS, /* the setting that decides cannot be read from here */
	KERNEL_NATIVE_NO,
	KERNEL_NATIVE_UNSAFE, /* the driver accepts the program and then crashes or loses packets: do not try */
};

/* The verdict on an interface, for the user. */
struct kernel_native {
	enum kernel_native_verdict verdict;
	char reason[280], advice[240]; /* set unless YES; advice may be "" */
};

/* Checks an interface that was read in `net`. */
void kernel_native__check(const struct probe_net *net, const struct probe_iface *iface, struct kernel_native *out);

/* Same, by name, in the current namespace. For drivers without such conditions it costs a few ioctls. */
void kernel_native__check_by_name(const char *ifname, struct kernel_native *out);

/* Returns the largest number of receive queues that leaves virtio_net a send queue for XDP per possible CPU; 0 if it has too few queues. */
unsigned kernel_native__virtio_queues(const struct probe_iface *iface);

#endif
