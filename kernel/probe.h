/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_PROBE_H
#define KERNEL_PROBE_H

/*
 * Tests what the running kernel supports and this process may do. Called by libspin, spinctl and spincc. Functions that fail write a reason
 * with the next step into `reason`.
 */
#include <stddef.h>

/*
 * Returns 0 if XDP programs can be loaded and attached; -EPERM (privileges), -ENOSYS (kernel too old, or built without BPF), -EMFILE,
 * -ENFILE or -ENOMEM.
 */
int kernel_probe__xdp(char *reason, size_t reason_bytes);

/* Same, for programs that copy the packet and are loaded without CAP_PERFMON. */
int kernel_probe__xdp_isolated(char *reason, size_t reason_bytes);

/* Returns 1 if this thread has the capabilities to load: CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON, or CAP_SYS_ADMIN. */
int kernel_probe__privileged(void);
/* Returns 1 if this thread has CAP_BPF and CAP_NET_ADMIN, which the isolated class needs. */
int kernel_probe__privileged_isolated(void);

/* Returns 1 if XDP programs can take frames in several buffers (features.h, KERNEL_DATAGRAMS). */
int kernel_probe__fragments(void);
/*
 * Returns 1 if the kernel loads the programs that copy the packet, which frames in several buffers and the isolated class need. They need
 * may_goto: with bounded loops they would take the verifier too many steps, or jumps.
 */
int kernel_probe__copies(void);
/*
 * Returns 1 if the verifier, without CAP_PERFMON, rejects code that only a mispredicting processor would run: Linux before 6.17, unless
 * booted with mitigations=off. It also follows the untaken side of each test whose outcome it knows; newer kernels put a barrier there.
 * kernel_feature__speculation() puts this into words.
 */
int kernel_probe__refuses_speculation(void);
/* Returns 1 if the verifier supports may_goto. Otherwise objects are loaded with bounded loops (<spin/meta.h>). */
int kernel_probe__may_goto(void);

/*
 * Returns 1 if the interface exists in software only. Packets from its driver may then carry the checksum that a sender left to the
 * hardware. Unknown drivers count as hardware.
 */
int kernel_probe__virtual(const char *ifname);

#endif
