/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_DRIVERS_H
#define KERNEL_DRIVERS_H

/*
 * Which drivers support native XDP, from the sources of Linux 6.1 and 6.12. This is the only table of it. Used by `spinctl check` and the
 * probes.
 */
#include <stdint.h>

/* Whether a driver supports something. */
enum driver_answer {
	DRIVER_NO,
	DRIVER_YES,
	DRIVER_UNKNOWN, /* not established */
};

/* Indices of the arrays that differ by kernel. */
enum {
	DRIVERS_6_1,
	DRIVERS_6_12,
	DRIVERS_KERNELS,
};

/* What is known of one driver. */
struct driver_row {
	const char *name;                  /* as ETHTOOL_GDRVINFO reports it */
	uint8_t native[DRIVERS_KERNELS];   /* enum driver_answer: ABORTED, DROP, PASS and TX */
	uint8_t redirect[DRIVERS_KERNELS]; /* XDP_REDIRECT of what it received */
	uint8_t frags[DRIVERS_KERNELS];    /* frames in several buffers, to programs of SEC("xdp.frags") */
	unsigned mtu_max;                  /* with a program for one buffer, 4 KiB pages; 0: not established */
	const char *source;                /* file of drivers/net, in 6.12 */
};

/* Returns NULL if the driver is not in the table. */
const struct driver_row *kernel_drivers__find(const char *name);

#endif
