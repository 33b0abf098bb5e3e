/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_THREADED_H
#define KERNEL_THREADED_H

/* A kernel thread for each receive queue of an interface (threaded NAPI). */
#include <stdint.h>

/* What there is: queues it can have, and 1 if they have threads, -1 if that cannot be told. 0 or -errno. */
int kernel_threaded__read(int ifindex, uint32_t *queues, int *threaded);
/* 0; -EOPNOTSUPP: no sysfs of this network namespace, or none to write to; or another -errno. */
int kernel_threaded__set(int ifindex, int on);

#endif
