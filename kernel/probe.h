/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_PROBE_H
#define KERNEL_PROBE_H

/*
 * What the running kernel and this process may do. Functions that fail write
 * a reason with the next step into `reason`.
 */
#include <stddef.h>

/*
 * 0 if XDP programs can be loaded and attached; -EPERM (privileges), -ENOSYS (kernel
 * too old, or built without BPF), -EMFILE, -ENFILE or -ENOMEM.
 */
int kernel_probe__xdp(char *reason, size_t reason_bytes);

/* The same for programs that copy the packet and are loaded without CAP_PERFMON. */
int kernel_probe__xdp_isolated(char *reason, size_t reason_bytes);

/* 1 if this thread has what loading needs: CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON, or CAP_SYS_ADMIN. */
int kernel_probe__privileged(void);
/* The same without CAP_PERFMON. */
int kernel_probe__privileged_isolated(void);

/* 1 if XDP programs can take frames in several buffers (features.h, KERNEL_DATAGRAMS). */
int kernel_probe__fragments(void);
/*
 * 1 if it loads the programs that copy the packet, as frames in several pieces and the isolated class need: with
 * may_goto. With bounded loops there are none, as the verifier would take too many steps, or jumps, for them.
 */
int kernel_probe__copies(void);
/*
 * 1 if the verifier refuses, without CAP_PERFMON, what only a processor would do that guesses the outcome of a test wrong: Linux before
 * 6.17, unless booted with mitigations=off. It follows each test whose outcome it knows to the other side, too; newer ones put a barrier
 * there. kernel_feature__guesses() says so.
 */
int kernel_probe__refuses_guesses(void);
/* 1 if the verifier knows may_goto; without, objects are loaded with bounded loops (<spin/meta.h>). */
int kernel_probe__may_goto(void);

/*
 * 1 if the interface exists in software only: packets that its driver hands
 * over may carry the checksum that a sender left to the hardware. Unknown
 * drivers count as hardware.
 */
int kernel_probe__virtual(const char *ifname);

#endif
