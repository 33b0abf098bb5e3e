/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_PROBE_BPF_H
#define KERNEL_PROBE_BPF_H

/*
 * What the kernel lets this process do with bpf(). Each function creates one small program or map and closes it again; nothing outside is
 * touched. They return 0 (works) or -errno: -EPERM and -EACCES mean refused, another error usually that the kernel does not support it.
 * Called by the other probes, features.c, threaded.c, share.c and spinctl doctor.
 */
#include <stdint.h>

/* Creates a map of this type (enum bpf_map_type, or one newer than our headers) with one entry; flags: BPF_F_*. */
int kernel_bpf__map(uint32_t type, uint32_t flags);
/* A program that passes every packet: its descriptor or -errno. */
int kernel_bpf__xdp_pass(void);
#define KERNEL_MAP_ARENA 33 /* BPF_MAP_TYPE_ARENA, 6.9 */

/* Loads an XDP program that only passes; flags: BPF_F_XDP_HAS_FRAGS or 0. */
int kernel_bpf__xdp(uint32_t flags);
/* Loads one with a compare-and-swap, which is ISA version 3. */
int kernel_bpf__atomics(void);
/* Loads one with may_goto, a loop that the verifier need not count (6.9). */
int kernel_bpf__may_goto(void);
/* Loads one whose packet pointer has a variable offset, which the verifier refuses without CAP_PERFMON. */
int kernel_bpf__packet_pointers(void);
/* Loads one that reads through NULL on the side of a test that is never taken. Some verifiers follow that side without CAP_PERFMON. */
int kernel_bpf__speculative_load(void);
/* Runs one on a packet of our own; live: as a frame that a driver would have received (it is dropped). */
int kernel_bpf__test_run(int live);
/* Returns 1 if programs are compiled, 0 if they are interpreted, or -errno. */
int kernel_bpf__jit(void);
/* freplace and fentry: replaces a program of our own by another, and traces one at its entry. */
int kernel_bpf__freplace(void);
int kernel_bpf__fentry(void);

/* Returns the passing program's descriptor or -errno, for attaching it to an interface of the caller's own. */
int kernel_bpf__xdp_fd(uint32_t flags);

#endif
