/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_THREADED_H
#define KERNEL_THREADED_H

/*
 * Threaded NAPI: a kernel thread for each receive queue of an interface. It is a setting of the interface and outlives the process that
 * made it, so a file in /run/spin, locked by that process, records each setting that must be undone. Called by libspin and spinctl.
 */
#include <stdint.h>

#include "kernel/record.h"

/* Identifies an interface that may be moved or renamed. */
struct threaded_iface {
	int ifindex;
	uint8_t address[8];
	char name[16];
};

/* A setting that this process has made, to be undone. */
struct threaded {
	struct threaded_iface iface;
	struct record record;
};

/* Reads the largest number of queues, and the setting: 1, 0, or -1 if unknown. Returns 0 or -errno. */
int kernel_threaded__read(int ifindex, uint32_t *queues, int *threaded);

/* Switches threaded NAPI on. Returns 0; -EOPNOTSUPP if there is no writable sysfs of this network namespace; or another -errno. */
int kernel_threaded__enable(int ifindex, struct threaded *t);
/* Switches it off in the interface's current network namespace, if that is visible (/run/netns, processes). */
void kernel_threaded__disable(struct threaded *t);

/* Same, for interfaces whose makers were killed. Called at every start of a program; returns at once if none was killed. */
void kernel_threaded__recover(void);

#endif
