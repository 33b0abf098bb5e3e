/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ABI_SPREAD_H
#define BPF_ABI_SPREAD_H

/*
 * Layout of the data by which packets of a context are spread over CPUs (SPIN_HPUS_SPREAD). Shared by bpf/spread.h, which chooses a CPU for
 * each packet, and libspin, which sets up the cpumap and waits until the CPUs have finished.
 */
#include <stdint.h>

#include <spin/hpu.h>

#define SPIN_SPREAD_HOME  20u   /* pending on the home CPU, from which others also take packets; as on PsPIN's clusters: 8 run, 12 wait */
#define SPIN_SPREAD_MOST  512u  /* at most this many packets are pending on a CPU; more are dropped as NO_HPU */
#define SPIN_SPREAD_QUEUE 1024u /* entries of a CPU's queue in the cpumap */

_Static_assert(SPIN_SPREAD_MOST + SPIN_HPUS_MAX < SPIN_SPREAD_QUEUE, "nothing is dropped silently");

/* In .rodata, written by the loader. */
struct spin_spread_config {
	uint32_t hpus;               /* CPUs that receive packets; 0: each packet is handled on the CPU where it arrives */
	uint16_t cpu[SPIN_HPUS_MAX]; /* their numbers */
};

/* Packets given to a CPU, modulo 2^32; given - finished are pending. In .bss, mapped. */
struct spin_cpu_load {
	uint32_t given;
	uint32_t unused[15];
	uint32_t finished; /* written only by its own CPU, in a separate cache line */
	uint32_t unused_too[15];
};

#endif
