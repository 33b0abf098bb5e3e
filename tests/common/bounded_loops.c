/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What libspin finds on a kernel without may_goto (Linux 6.1 to 6.8), for test programs that are linked with --wrap of
 * these two (Makefile): they load the objects' programs with bounded loops on any kernel.
 */
#include "tests/common/bounded_loops.h"

int __wrap_kernel_probe__may_goto(void)
{
	return 0;
}

int __wrap_kernel_probe__copies(void)
{
	return 0;
}
