/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_KERNEL_THREADS_H
#define TESTS_COMMON_KERNEL_THREADS_H

#include <stdint.h>

/*
 * CPU time so far, ns, of all kernel threads whose names begin so ("napi/far0-", "cpumap/"), on the whole
 * machine. 0 where there are none, or they cannot be seen.
 */
uint64_t kernel_threads__cpu_ns(const char *prefix);

#endif
