/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_OUT_MAPS_H
#define BPF_OUT_MAPS_H

/*
 * The maps of the tx ring. All contexts of a process share one ring, because contexts of one interface share the kernel's queue to
 * it, and the program of the first frame in the queue runs for all frames (out.bpf.c). An object as it stands has a ring of one
 * buffer; libspin replaces it.
 */
#include "bpf/abi/tx_ring.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct spin_tx_desc);
} spin_outs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct spin_tx_ring);
} spin_outboxes SEC(".maps");

/* NULL: cannot be. */
SPIN_INLINE struct spin_tx_ring *spin_tx_ring(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&spin_outboxes, &zero);
}

SPIN_INLINE struct spin_tx_desc *spin_out_at(uint32_t at)
{
	at &= SPIN_OUTS - 1;
	return bpf_map_lookup_elem(&spin_outs, &at);
}

/*
 * The buffer for the next packet or operation: to be filled, and then counted with box->count++. NULL: there is none, which
 * is so only of an object that libspin has not loaded.
 */
SPIN_INLINE struct spin_tx_desc *spin_tx_ring_next(const struct spin_tx_ring *box)
{
	return spin_out_at(box->first + box->count);
}

#endif
