/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_THREADED_H
#define KERNEL_THREADED_H

/*
 * Threaded NAPI: a kernel thread for each receive queue of an interface. It is a setting of the interface and outlives the process
 * that made it. So a file in /run/spin, locked by that process, records each that must be undone.
 */
#include <stdint.h>

#include "kernel/record.h"

/* An interface that may be moved or renamed. */
struct threaded_iface {
	int ifindex;
	uint8_t address[8];
	char name[16];
};

struct threaded {
	struct threaded_iface iface;
	struct record record;
};

/* Reads the number of queues it can have, and threaded: 1, 0, or -1 if unknown. 0 or -errno. */
int kernel_threaded__read(int ifindex, uint32_t *queues, int *threaded);

/* Switches threaded NAPI on. 0; -EOPNOTSUPP: no writable sysfs of this network namespace; or another -errno. */
int kernel_threaded__begin(int ifindex, struct threaded *t);
/* Switches it off, in whatever network namespace the interface is now, if that is visible (/run/netns, processes). */
void kernel_threaded__end(struct threaded *t);

/* The same for interfaces whose makers were killed. Called at every start of a program; takes no time if nobody was. */
void kernel_threaded__recover(void);

#endif
