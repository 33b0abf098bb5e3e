/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_OUT_MAPS_H
#define BPF_OUT_MAPS_H

/*
 * BPF maps of the tx rings, in which packets that handlers send wait until they leave. Included by out.h, context_maps.h and out.bpf.c. All
 * contexts of a process must share the rings: they share the kernel's bulk queue to an interface, and the kernel runs the program of the
 * first frame in that queue for all of its frames (out.bpf.c). In an unloaded object a ring has one buffer; libspin replaces it.
 */
#include "bpf/abi/tx_ring.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct spin_tx_desc);
} spin_tx_descs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct spin_tx_ring);
} spin_tx_rings SEC(".maps");

/* Never returns NULL; the caller tests it for the verifier. */
SPIN_INLINE struct spin_tx_ring *spin_tx_ring(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&spin_tx_rings, &zero);
}

SPIN_INLINE struct spin_tx_desc *spin_out_at(uint32_t at)
{
	at &= SPIN_TX_DESCS - 1;
	return bpf_map_lookup_elem(&spin_tx_descs, &at);
}

/*
 * Returns the buffer for the next packet or operation. The caller fills it and then increments ring->count. NULL only if libspin did not
 * load the object.
 */
SPIN_INLINE struct spin_tx_desc *spin_tx_ring_next(const struct spin_tx_ring *ring)
{
	return spin_out_at(ring->first + ring->count);
}

#endif
