/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_CPUS_H
#define KERNEL_CPUS_H

/*
 * How many CPUs the running kernel may ever have: what per-CPU maps have values for, and what CPU numbers are
 * below. At least 1; also where /sys, which libbpf reads, is not mounted.
 */
int kernel_cpus__possible(void);

#endif
