/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_KERNEL_THREADS_H
#define TESTS_COMMON_KERNEL_THREADS_H

/* CPU time of kernel threads, for tests/bench/hpus.c. */
#include <stdint.h>

/*
 * Returns the CPU time so far, in ns, of all kernel threads on the machine whose names have this prefix ("napi/far0-",
 * "cpumap/"). Returns 0 if there are none or they are not visible.
 */
uint64_t kernel_threads__cpu_ns(const char *prefix);

#endif
