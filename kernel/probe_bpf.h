/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_PROBE_BPF_H
#define KERNEL_PROBE_BPF_H

/*
 * What the kernel lets this process do with bpf(): each function creates one small program or map and closes it again. Nothing is
 * attached to anything outside. They return 0 (works) or -errno: -EPERM and -EACCES mean refused, another error usually that the
 * kernel does not know it.
 */
#include <stdint.h>

/* A map of this type (enum bpf_map_type, also of kernels newer than our headers), one entry; flags: BPF_F_*. */
int kernel_bpf__map(uint32_t type, uint32_t flags);
/* A program that passes every packet: its descriptor or -errno. */
int kernel_bpf__xdp_pass(void);
#define KERNEL_MAP_ARENA 33 /* BPF_MAP_TYPE_ARENA, 6.9 */

/* An XDP program that only passes; flags: BPF_F_XDP_HAS_FRAGS or 0. */
int kernel_bpf__xdp(uint32_t flags);
/* One with a compare-and-swap, which is ISA version 3. */
int kernel_bpf__atomics(void);
/* One with a loop that the verifier need not count (6.9). */
int kernel_bpf__may_goto(void);
/* One whose packet pointer has a variable offset, which the verifier refuses without CAP_PERFMON. */
int kernel_bpf__packet_pointers(void);
/* One that reads through NULL behind a test that is never so, which some verifiers follow without CAP_PERFMON. */
int kernel_bpf__wrong_guess(void);
/* One run on a packet of ours; live: as a frame that a driver would have received (it is dropped). */
int kernel_bpf__test_run(int live);
/* 1 if programs are compiled, 0 if they are interpreted, or -errno. */
int kernel_bpf__jit(void);
/* freplace and fentry: a program of ours replaced by another, and one traced at its entry. */
int kernel_bpf__freplace(void);
int kernel_bpf__fentry(void);

/* The passing program's descriptor, or -errno: for attaching to an interface of one's own. */
int kernel_bpf__xdp_fd(uint32_t flags);

#endif
