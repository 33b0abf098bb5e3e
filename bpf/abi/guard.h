/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ABI_GUARD_H
#define BPF_ABI_GUARD_H

/*
 * What the guard of a context (bpf/guard.bpf.c) shares with libspin, which loads one for each context of a socket. Its program and maps:
 *
 *	spin_guard         the program; the dispatcher tail-calls it instead of the context's
 *	spin_guard_port    run by libspin (BPF_PROG_TEST_RUN): returns the port that the socket has now, 0: none, or it is closed
 *	spin_guarded       the context's program, in entry 0
 *	spin_guard_socket  the socket that the context belongs to, in entry 0; the kernel removes it when the socket is closed
 *	spin_guard_local   the addresses of the host, keys of 16 bytes (IPv4 as ::ffff:a.b.c.d); shared by the guards of a network namespace
 *	spin_guard_cpus    struct spin_guard_cpu, by CPU; shared in the same way
 *	spin_guard_changes number of changes of spin_guard_local, in entry 0; shared in the same way. Who removes an address counts it after that
 *	spin_guard_share   struct spin_guard_share in .rodata
 *	spin_guard_events  the context's own queue of events (spin_events)
 *	spin_guard_events_window  struct spin_guard_events_window in .bss
 *	spin_guard_counts  struct spin_guard_counts[SPIN_HPUS_MAX] in .bss, mapped
 */
#include <stdint.h>

#define SPIN_GUARD_ADDRESSES 1024 /* of a network namespace */

/*
 * How much of a CPU's time handlers may take, in windows of SPIN_GUARD_WINDOW_NS: `percent` of it for all contexts together. Each
 * context has an equal part of that, and what the others did not use in the window before. Packets of a context that has had its
 * part are dropped, as a card drops them whose HPUs are busy.
 */
#define SPIN_GUARD_WINDOW_NS 10000000ull

struct spin_guard_share {
	uint32_t percent; /* 0: no limit */
	uint32_t unused;
	uint64_t event_bytes; /* of a context's queue of events, in SPIN_GUARD_EVENTS_NS; 0: no limit */
};

/*
 * How many events a context's handlers may leave, measured by what is written to their queue: an object that its user has made may write
 * what it likes. Packets are dropped from then on until the window's end.
 */
#define SPIN_GUARD_EVENTS_NS 100000000ull

/* Of all CPUs together: where the queue was at the window's start. */
struct spin_guard_events_window {
	uint64_t start_ns, start_at;
};

struct spin_guard_cpu {
	uint64_t start_ns; /* of the window */
	uint64_t window;   /* its number */
	uint64_t used_ns, used_before_ns;
	uint32_t active, active_before; /* contexts that had packets */
};

/* Of one CPU. The context's own counters have the packets that its handlers ran for. */
struct spin_guard_counts {
	uint64_t left;    /* passed on untouched: not the socket's, or it is closed */
	uint64_t refused; /* dropped: handlers made of it a packet that would go to somebody else */
	uint64_t over;    /* dropped: its handlers have had their part of the CPU */
	uint64_t busy_ns; /* its handlers have run for so long */
	/* of the window at hand, and of the one before */
	uint64_t window, used_ns, used_before_ns;
	uint64_t noisy; /* dropped: its handlers have left as many events as they may */
};

/* An address that one CPU has found in spin_guard_local. It counts while spin_guard_changes is the same. */
struct spin_guard_known {
	uint32_t addr[4];
	uint64_t changes;
	uint64_t unused[5];
};

#endif
