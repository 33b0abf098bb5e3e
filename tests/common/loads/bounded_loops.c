/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Makes libspin believe that the kernel has no may_goto, the instruction that bounds a loop at run time (Linux 6.9): probes of the kernel
 * return 0 in test programs linked with --wrap for these two functions (Makefile). They load the objects' programs with bounded loops, for
 * Linux 6.1 to 6.8, on any kernel. So tests/vectors and tests/unit check these variants too.
 */
#include "tests/common/loads/bounded_loops.h"

int __wrap_kernel_probe__may_goto(void)
{
	return 0;
}

int __wrap_kernel_probe__copies(void)
{
	return 0;
}
