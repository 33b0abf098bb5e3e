/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_THREADED_H
#define KERNEL_THREADED_H

/*
 * A kernel thread for each receive queue of an interface (threaded NAPI). It is a setting of the interface, which outlives
 * who made it: so a file in /run/spin, locked by its maker, remembers each that is to be undone.
 */
#include <stdint.h>

/* An interface that may be moved or renamed. */
struct threaded_iface {
	int ifindex;
	uint8_t address[8];
	char name[16];
};

struct threaded {
	struct threaded_iface iface;
	int fd; /* of the file, locked; -1: none could be written, and kill -9 leaves the threads */
	char path[96];
};

/* What there is: queues it can have, and 1 if they have threads, -1 if that cannot be told. 0 or -errno. */
int kernel_threaded__read(int ifindex, uint32_t *queues, int *threaded);

/* Gives it threads. 0; -EOPNOTSUPP: no sysfs of this network namespace, or none to write to; or another -errno. */
int kernel_threaded__begin(int ifindex, struct threaded *t);
/* Takes them away, in whatever network namespace the interface is now, if that can be seen (/run/netns, processes). */
void kernel_threaded__end(struct threaded *t);

/* The same for those whose makers died. For every start of a program; it takes no time where nobody has died. */
void kernel_threaded__recover(void);

#endif
