/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_PROBE_H
#define KERNEL_PROBE_H

/*
 * What the running kernel and this process may do. Functions that fail write
 * a sentence with the next step into `why`.
 */
#include <stddef.h>

/* The oldest kernel: compare-and-swap in BPF (5.12) is the youngest thing that every context needs. */
#define KERNEL_PROBE_MAJOR 5
#define KERNEL_PROBE_MINOR 12

/*
 * 0 if XDP programs can be loaded and attached; -EPERM (privileges), -ENOSYS
 * (kernel too old, or built without BPF).
 */
int kernel_probe__xdp(char *why, size_t why_bytes);

/* 1 if this process has what loading needs: CAP_BPF and CAP_NET_ADMIN, or CAP_SYS_ADMIN. */
int kernel_probe__privileged(void);

/*
 * 1 if the interface exists in software only: packets that its driver hands
 * over may carry the checksum that a sender left to the hardware. Unknown
 * drivers count as hardware.
 */
int kernel_probe__virtual(const char *ifname);

#endif
