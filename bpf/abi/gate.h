/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ABI_GATE_H
#define BPF_ABI_GATE_H

/*
 * What the gate of a context (bpf/gate.bpf.c) shares with libspin, which puts one before a context's handlers while their memory is moved
 * (spin_ctx__migrate()). Programs and maps:
 *
 *	spin_gate        the program that the dispatcher calls instead of the context's: it counts who is inside, and waits while it is shut
 *	spin_gate_choose tail-calls the old handlers or the new ones. It stands where the context's own program stood: in spin_gate_next, or
 *	                 behind the context's guard
 *	spin_gate_next   what spin_gate runs, in entry 0: spin_gate_choose, or the guard that runs that
 *	spin_gate_old_or_new  the context's two programs, in entries 0 and 1
 *	spin_gate_state  struct spin_gate_state in .bss, mapped
 *	spin_gate_inside struct spin_gate_inside[SPIN_HPUS_MAX] in .bss, mapped, by CPU
 *
 * libspin alone writes SHUT and NEW, by compare-and-swap. A packet that has waited long enough writes OLD, and with that ends libspin's
 * try: it may have found the CPU that libspin needs. So nothing waits for a process that was killed or that has no CPU.
 */
#include <stdint.h>

enum spin_gate_is {
	SPIN_GATE_OLD, /* packets have the old handlers */
	SPIN_GATE_SHUT,
	SPIN_GATE_NEW
};

struct spin_gate_state {
	uint32_t is;       /* enum spin_gate_is */
	uint32_t cpu;      /* libspin's: packets do not wait there */
	uint64_t until_ns; /* CLOCK_MONOTONIC: how long they wait elsewhere */
};

/* Of one CPU: runs of handlers that have begun and not ended. */
struct spin_gate_inside {
	uint64_t runs;
	uint64_t unused[7]; /* to a cache line */
};

#define SPIN_GATE_TRIES 12u /* times that libspin may shut it */

#endif
