/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_TAP_H
#define BPF_TAP_H

/*
 * Copies packets of a context, as they arrived, to a ring buffer that user space reads: for spinctl record and `spinctl run --cost`. Called
 * by the dispatcher (root.bpf.c). libspin creates the ring when a tap starts (user/libspin/tap.c); without one a packet costs a test.
 */
#include "bpf/atomic.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, SPIN_CONTEXTS_MAX + 1); /* by slot; the last slot is used to wait for programs, see libspin's root.c */
	__uint(key_size, 4);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_RINGBUF);
			__uint(max_entries, 4096);
		});
} spin_taps SEC(".maps");

/* By slot: one packet in so many is copied, at random to avoid aliasing with patterns in the traffic; 0 and 1: all. */
uint32_t spin_taps_every[SPIN_CONTEXTS_MAX];

/* Packets selected but not copied: the ring was full, or the frame longer than the largest record. */
uint64_t spin_taps_lost[SPIN_CONTEXTS_MAX];

/* Reserves a record. Its size must be a constant for the verifier: one function per class of frame sizes. Returns 0 if the ring is full. */
#define SPIN_TAP_CLASS_(bytes)                                                                          \
	SPIN_INLINE _Bool spin_tap_##bytes##_(struct xdp_md *ctx, void *ring, uint32_t frame_bytes)     \
	{                                                                                               \
		struct spin_tap_record *record = bpf_ringbuf_reserve(ring, sizeof(*record) + bytes, 0); \
		uint32_t held = spin_bounded_length(frame_bytes, bytes);                                \
                                                                                                        \
		if (!record)                                                                            \
			return 0;                                                                       \
		if (!held || bpf_xdp_load_bytes(ctx, 0, record->frame, held)) {                         \
			bpf_ringbuf_discard(record, 0);                                                 \
			return 0;                                                                       \
		}                                                                                       \
		record->time_ns = bpf_ktime_get_ns();                                                   \
		record->hpu = bpf_get_smp_processor_id();                                               \
		record->frame_bytes = frame_bytes;                                                      \
		bpf_ringbuf_submit(record, 0);                                                          \
		return 1;                                                                               \
	}
SPIN_TAP_CLASS_(128)
SPIN_TAP_CLASS_(512)
SPIN_TAP_CLASS_(1536)
SPIN_TAP_CLASS_(9216)

/* Copies the packet to the tap of the context that it matches, if there is one: of every `every` packets one, at random. */
SPIN_INLINE void spin_tap(struct xdp_md *ctx, uint64_t match)
{
	uint32_t slot = spin_bit_number(match);
	uint32_t every = spin_taps_every[spin_barrier_var_(slot) & (SPIN_CONTEXTS_MAX - 1)];
	uint32_t bytes;
	_Bool copied;
	void *ring;

	if (every > 1 && bpf_get_prandom_u32() % every)
		return;
	ring = bpf_map_lookup_elem(&spin_taps, &slot);
	if (!ring)
		return;
	bytes = bpf_xdp_get_buff_len(ctx);
	if (bytes <= 128)
		copied = spin_tap_128_(ctx, ring, bytes);
	else if (bytes <= 512)
		copied = spin_tap_512_(ctx, ring, bytes);
	else if (bytes <= 1536)
		copied = spin_tap_1536_(ctx, ring, bytes);
	else
		copied = spin_tap_9216_(ctx, ring, bytes);
	if (!copied)
		__sync_fetch_and_add(&spin_taps_lost[spin_barrier_var_(slot) & (SPIN_CONTEXTS_MAX - 1)], 1);
}

#endif
