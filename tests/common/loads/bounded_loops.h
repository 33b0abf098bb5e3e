/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_LOADS_BOUNDED_LOOPS_H
#define TESTS_COMMON_LOADS_BOUNDED_LOOPS_H

/* The linker substitutes these for kernel_probe__may_goto() and kernel_probe__copies(). */
int __wrap_kernel_probe__may_goto(void);
int __wrap_kernel_probe__copies(void);

#endif
