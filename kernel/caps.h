/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_CAPS_H
#define KERNEL_CAPS_H

/*
 * Capabilities of the calling thread. The kernel checks them when a program is loaded, so a thread that drops one during the load gets a
 * program without that privilege. Called by probe.c, libspin and spinctl.
 */
#include <stdint.h>

/* The effective set, one bit per capability; 0 if it cannot be read. */
uint64_t kernel_caps__effective(void);

/*
 * Drops CAP_PERFMON, and CAP_SYS_ADMIN, which includes it, from the effective set: the verifier then treats the program's author as
 * untrusted. *saved is for kernel_caps__restore(). Returns 0, or -errno if nothing has changed.
 */
int kernel_caps__drop_for_isolated(uint64_t *saved);
/* Restores the effective set. Returns 0 or -errno. A thread may always raise capabilities that are in its permitted set. */
int kernel_caps__restore(uint64_t saved);

#endif
