/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ABI_SPREAD_H
#define BPF_ABI_SPREAD_H

/*
 * Distribution of a context's packets to CPUs (SPIN_HPUS_SPREAD). Shared by bpf/spread.h, which chooses a CPU for each packet, and
 * libspin, which sets up the cpumap and drains it.
 */
#include <stdint.h>

#include <spin/hpu.h>

#define SPIN_SPREAD_HOME  20u
#define SPIN_SPREAD_MOST  512u
#define SPIN_SPREAD_QUEUE 1024u

_Static_assert(SPIN_SPREAD_MOST + SPIN_HPUS_MAX < SPIN_SPREAD_QUEUE, "nothing is dropped silently");

/* In .rodata, written by the loader. */
struct spin_spread_config {
	uint32_t hpus;               /* packets are given to so many; 0: handled where they come */
	uint16_t cpu[SPIN_HPUS_MAX]; /* which CPU each of them is */
};

/* By CPU; in .bss, mapped. */
struct spin_load {
	uint32_t given;
	uint32_t unused[15];
	uint32_t finished; /* written by its own CPU only, a line of its own */
	uint32_t unused_too[15];
};

#endif
