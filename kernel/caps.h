/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_CAPS_H
#define KERNEL_CAPS_H

/*
 * Capabilities of the calling thread. The kernel checks them when a program is loaded, so a thread that drops one during the load
 * gets a program without that privilege.
 */
#include <stdint.h>

/* The effective set, one bit per capability; 0 if it cannot be told. */
uint64_t kernel_caps__effective(void);

/*
 * Lays CAP_PERFMON down, and CAP_SYS_ADMIN, which includes it: the verifier then
 * takes the program's writer for a stranger. *saved is for the way back. 0 or
 * -errno; then nothing has changed.
 */
int kernel_caps__become_stranger(uint64_t *saved);
/* Restores the effective set. 0 or -errno; a thread may raise again what its permitted set has. */
int kernel_caps__restore(uint64_t saved);

#endif
