/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_CHECK_DRIVER_H
#define USER_SPINCTL_CHECK_DRIVER_H

/* spinctl check for programs that run on the host, in a driver's native mode or in generic mode. Called by check.c. */
#include <stddef.h>

/* What to check for, from the options. */
struct check_driver {
	const char *target, *driver; /* as given; driver NULL: any driver */
	int is_native;
	unsigned kernels; /* bits of enum nfp_kernel */
	unsigned mtu;     /* bytes; 0: any */
	int json;
};

/* Prints the verdicts. Returns an exit status. */
int check_driver__object(const char *path, const void *data, size_t bytes, const struct check_driver *wanted);

#endif
