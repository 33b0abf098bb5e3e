/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ABI_GUARD_H
#define BPF_ABI_GUARD_H

/*
 * Interface between a guard and libspin. A guard (bpf/guard.h) is an XDP program in front of handlers that an unprivileged user has
 * attached to a socket: it lets them see only that socket's packets. libspin loads one for each such context. Programs and maps:
 *
 *	spin_guard         the program; the dispatcher tail-calls it instead of the context's
 *	spin_guard_tcp     the same for a context of TCP segments; in an object of its own
 *	spin_guard_port    run by libspin (BPF_PROG_TEST_RUN): returns the socket's current port; 0 if it has none or is closed
 *	spin_guard_prog    entry 0: the context's program
 *	spin_guard_socket  entry 0: the socket that the context belongs to; the kernel removes it when the socket is closed
 *	spin_guard_local   addresses of the host, 16-byte keys (IPv4 as ::ffff:a.b.c.d); shared by all guards of a network namespace
 *	spin_guard_cpus    struct spin_guard_cpu, by CPU; shared in the same way
 *	spin_guard_changes entry 0: number of changes of spin_guard_local; shared likewise. Incremented after an address was removed
 *	spin_guard_mark    of TCP segments: has an entry for the socket, which its connections inherit
 *	spin_guard_closing of TCP segments: connections that this host has closed
 *	spin_guard_share   struct spin_guard_share in .rodata
 *	spin_guard_events  the context's own queue of events (spin_events)
 *	spin_guard_events_window  struct spin_guard_events_window in .bss
 *	spin_guard_counts  struct spin_guard_counts[SPIN_HPUS_MAX] in .bss, mapped
 *	spin_guard_room    in .bss, mapped: 1: packets get room for longer replies (bpf/room.h)
 *
 * The limits below are also those of TCP streams, which have no guard (abi/stream.h).
 */
#include <stdint.h>

#define SPIN_GUARD_ADDRESSES 1024 /* per network namespace */
#define SPIN_GUARD_CLOSING   2048 /* per context */

/* A key of spin_guard_closing. */
struct spin_guard_tuple {
	uint32_t src[4], dst[4];
	uint16_t src_port, dst_port;
};

/*
 * Limit on CPU time: in each window of SPIN_GUARD_WINDOW_NS all contexts together may use `percent` of a CPU. Each context gets an equal
 * share, plus what the others left unused in the previous window. Packets of a context that has used up its share are dropped, as a NIC
 * does whose HPUs are busy. What a context takes beyond its share, as by one long run, it owes: the shares of the next windows pay for it.
 */
#define SPIN_GUARD_WINDOW_NS 10000000ull

/* Limits of handlers on sockets; written before loading. */
struct spin_guard_share {
	uint32_t percent; /* 0: no limit */
	uint32_t unused;
	uint64_t event_bytes; /* per context and SPIN_GUARD_EVENTS_NS, written to its event queue; 0: no limit */
};

/*
 * Limit on events, measured in bytes written to the queue, because an object built by a user may write anything. Above the limit packets
 * are dropped until the window ends.
 */
#define SPIN_GUARD_EVENTS_NS 100000000ull

/* Shared by all CPUs: the queue's producer position at the start of the window. */
struct spin_guard_events_window {
	uint64_t start_ns, start_at;
};

/* Time that handlers on sockets have used of one CPU, in its current window and in the one before. */
struct spin_guard_cpu {
	uint64_t window; /* its number: the kernel's time in windows */
	uint64_t used_ns, used_before_ns;
	uint64_t spent_ns;              /* since the beginning */
	uint32_t active, active_before; /* contexts that had packets, in this window and the one before */
};

/* Per CPU. Packets that the handlers ran for are in the context's own counters. */
struct spin_guard_counts {
	uint64_t left;           /* passed to the host untouched: not for this socket, or the socket is closed */
	uint64_t refused;        /* dropped: the handlers' output was addressed to a third party */
	uint64_t over;           /* dropped: the CPU share was used up */
	uint64_t busy_ns;        /* run time of the handlers */
	uint64_t noisy;          /* dropped: the event limit was reached */
	uint64_t used_ns;        /* in the window `window` */
	uint64_t owed_ns;        /* used earlier beyond the share of those windows */
	uint32_t window;         /* its number, modulo 2^32 */
	uint32_t used_before_ns; /* in the window before; at most UINT32_MAX */
};

/* Per CPU: the last address found in spin_guard_local. Valid while spin_guard_changes is unchanged. */
struct spin_guard_known {
	uint32_t addr[4];
	uint64_t changes;
	uint64_t unused[5];
};

#endif
