/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_LOADS_BOUNDED_LOOPS_H
#define TESTS_COMMON_LOADS_BOUNDED_LOOPS_H

/*
 * Stand-ins for two probes of the kernel, which then report that it has no may_goto (the instruction that bounds a loop at run time, from
 * Linux 6.9 on): libspin then loads the programs with bounded loops, which are for Linux 6.1 to 6.8. For test programs in tests/vectors and
 * tests/unit that are linked with --wrap (Makefile).
 */
int __wrap_kernel_probe__may_goto(void);
int __wrap_kernel_probe__copies(void);

#endif
