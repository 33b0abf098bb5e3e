/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_CPUS_H
#define KERNEL_CPUS_H

/*
 * Returns the number of CPUs that the running kernel may ever have: per-CPU maps have that many values, and CPU numbers are below it. At
 * least 1, even if /sys, which libbpf reads, is not mounted. Called by code that sizes per-CPU buffers.
 */
int kernel_cpus__possible(void);

#endif
