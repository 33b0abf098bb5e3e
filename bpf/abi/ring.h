/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ABI_RING_H
#define BPF_ABI_RING_H

/*
 * Interface between the programs that deliver the packets of an execution context (handlers, their memories and a match rule) to AF_XDP
 * sockets (bpf/ring.bpf.c) and libspin, which loads them for each context with a ring. Their names and maps:
 *
 *	spin_ring_0, spin_ring_1  the programs; the dispatcher tail-calls one of them instead of the context's. They differ in the entry of
 *	                     spin_ring_progs that they run, so that a context can have two programs while its rule changes
 *	spin_ring_progs      entry 0 or 1: the context's program
 *	spin_ring_sockets    the AF_XDP sockets, by receive queue; the kernel removes one when it is closed
 *	spin_ring_context    the context's .bss, which holds its counters
 *	spin_ring_config     struct spin_ring_config in .rodata
 *	spin_ring_counts     struct spin_ring_counts[SPIN_HPUS_MAX] in .bss, mapped
 */
#include <stdint.h>

#define SPIN_RING_QUEUES_MAX 64u /* receive queues with sockets, per interface */

/* Settings of a ring's programs; written before loading. */
struct spin_ring_config {
	uint32_t counters_at;  /* bytes from the start of the context's .bss to its spin_counters */
	uint32_t hpu_is_queue; /* as in struct spin_config */
	uint32_t frame_bytes;  /* longest frame that fits a socket's buffer */
	uint32_t unused;
};

/* Per CPU. The packets' reasons are in the context's own counters. */
struct spin_ring_counts {
	uint64_t delivered; /* redirected to a socket, which may still drop it if it is full */
	uint64_t unbound;   /* passed to the host: the queue has no socket */
	uint64_t too_long;  /* passed to the host: longer than frame_bytes */
	uint64_t unused[5]; /* pads to a cache line */
};

#endif
