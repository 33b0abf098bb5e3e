/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ABI_GATE_H
#define BPF_ABI_GATE_H

/*
 * Interface between a gate and libspin. A gate (bpf/gate.bpf.c) is an XDP program that libspin puts before the handlers of an execution
 * context while it moves their memory (spin_ctx__migrate()). Programs and maps:
 *
 *	spin_gate        called by the dispatcher instead of the context's program; counts runs in progress, and waits while it is shut
 *	spin_gate_choose tail-calls the old or the new handlers. It replaces the context's own program, either in spin_gate_next or
 *	                 behind the context's guard
 *	spin_gate_next   entry 0: the program that spin_gate runs, which is spin_gate_choose or the guard in front of it
 *	spin_gate_old_or_new  entries 0 and 1: the old and the new program of the context
 *	spin_gate_state  struct spin_gate_state in .bss, mapped
 *	spin_gate_inside struct spin_gate_inside[SPIN_HPUS_MAX] in .bss, mapped, by CPU
 *
 * Only libspin writes SHUT and NEW, by compare-and-swap. A packet that may not wait any longer writes OLD, which cancels the attempt: it
 * may be occupying the CPU that libspin needs. So no packet waits for a process that was killed or cannot get a CPU.
 */
#include <stdint.h>

/* Which handlers packets run. SHUT: none, packets wait. */
enum spin_gate_is {
	SPIN_GATE_OLD, /* packets run the old handlers */
	SPIN_GATE_SHUT,
	SPIN_GATE_NEW
};

/* The gate's one state, which all CPUs read for each packet. */
struct spin_gate_state {
	uint32_t is;       /* enum spin_gate_is */
	uint32_t cpu;      /* the CPU that libspin runs on: packets do not wait there */
	uint64_t until_ns; /* deadline of waiting packets on other CPUs, CLOCK_MONOTONIC */
};

/* Per CPU: handler runs in progress. */
struct spin_gate_inside {
	uint64_t runs;
	uint64_t unused[7]; /* pads to a cache line */
};

#define SPIN_GATE_TRIES 12u /* attempts of libspin to shut the gate */

#endif
