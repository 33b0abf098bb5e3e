/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_DMA_BUFFER_H
#define BPF_DMA_BUFFER_H

/*
 * Transfers between a handler's buffer (<spin/buffer.h>) and host memory, and copies of such a buffer into a packet that the handler sends.
 * Each CPU or receive queue that runs handlers has a buffer of its own. Lengths and offsets are known only at run time, so the verifier
 * must be shown that each access is in bounds. Called by handlers, and by put.h for packets.
 */
#include "bpf/messages/space.h"

/*
 * Copies one block of the `left` remaining bytes and returns its size: 64, 8 or 1. The caller has checked both addresses. Both sides have
 * at least SPIN_BUFFER_SLACK_ bytes of slack at the end.
 */
SPIN_INLINE uint32_t spin_block_copy_(uint8_t *to, const uint8_t *from, uint32_t left)
{
	if (left >= 64) {
		SPIN_UNROLL_
		for (uint32_t i = 0; i < 8; i++)
			((uint64_t *)to)[i] = ((const uint64_t *)from)[i];
		return 64;
	}
	if (left >= 8) {
		*(uint64_t *)to = *(const uint64_t *)from;
		return 8;
	}
	*to = *from;
	return 1;
}

#define SPIN_BLOCKS_OF_(bytes) ((bytes) / 64 + 7 + 7 + 1)

/*
 * Copies between bytes [off, off + bytes) of the buffer and offset `start` of the host memory, in bounds. Each iteration checks both
 * offsets again after hiding them from the verifier, so it sees all iterations as one state.
 */
SPIN_INLINE void spin_buffer_part_(uint8_t *buffer, uint32_t size, uint32_t off, uint32_t start, uint32_t bytes, _Bool to_host)
{
	uint64_t round = 0;

	for (uint32_t done = spin_verifier_forget32(0); done < bytes && spin_can_loop_(&round, SPIN_BLOCKS_OF_(size));) {
		uint32_t left = spin_verifier_forget32(bytes - done);
		uint8_t *host = spin_host_at(spin_verifier_forget32(start + done), 0);
		uint64_t at = spin_barrier_var64_(spin_verifier_forget32(off + done));

		if (!host || at >= size)
			return; /* unreachable: tells the verifier the bounds */
		done = spin_verifier_forget32(
			done + (to_host ? spin_block_copy_(host, buffer + at, left) : spin_block_copy_(buffer + at, host, left)));
	}
}

/*
 * Moves bytes between a buffer and host memory, whose segments may cut them. Returns SPIN_SEGV, and moves nothing, if a range is outside
 * either.
 */
SPIN_INLINE int spin_buffer_move_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, void *buffer, uint32_t size,
				  uint32_t off, uint32_t bytes, _Bool to_host)
{
	uint32_t room, part;
	uint64_t round = 0;

	/* hide the bounds learnt here from the verifier: the handler may be in a loop */
	at = spin_verifier_forget32(at);
	off = spin_verifier_forget32(off);
	bytes = spin_verifier_forget32(bytes);
	if (bytes > size || off > size - bytes || !spin_space_has(packet, space, at, bytes))
		return SPIN_SEGV;
	if (space != SPIN_HANDLER_MEM) {
		spin_buffer_part_(buffer, size, off, spin_space_at(packet, space, at, &room), bytes, to_host);
		return 0;
	}
	for (uint32_t done = 0; done < bytes && spin_can_loop_(&round, SPIN_SEGMENTS_MAX); done = spin_verifier_forget32(done + part)) {
		uint32_t start = spin_space_at(packet, space, at + done, &room);

		part = spin_verifier_forget32(bytes - done < room ? bytes - done : room);
		if (!part)
			return SPIN_SEGV; /* unreachable */
		spin_buffer_part_(buffer, size, off + done, start, part, to_host);
	}
	return 0;
}

/* The non-blocking form. Here the transfer is complete when the call returns, so there is nothing to wait for. */
SPIN_INLINE int spin_buffer_move_nb_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, void *buffer, uint32_t size,
				     uint32_t off, uint32_t bytes, _Bool to_host, struct spin_dma *dma)
{
	*dma = (struct spin_dma){ 0 };
	return spin_buffer_move_(packet, space, at, buffer, size, off, bytes, to_host);
}

/* Copies to a packet's frame at `to`, which has room for SPIN_PUT_BYTES_MAX bytes and one block. All of it is in bounds. */
SPIN_INLINE void spin_buffer_out_(uint8_t *to, const uint8_t *buffer, uint32_t size, uint32_t off, uint32_t bytes)
{
	uint64_t round = 0;

	for (uint32_t done = spin_verifier_forget32(0); done < bytes && spin_can_loop_(&round, SPIN_BLOCKS_OF_(SPIN_PUT_BYTES_MAX));) {
		uint32_t left = spin_verifier_forget32(bytes - done);
		uint64_t at = spin_barrier_var64_(spin_verifier_forget32(off + done)),
			 put = spin_barrier_var64_(spin_verifier_forget32(done));

		if (at >= size || put >= SPIN_PUT_BYTES_MAX)
			return; /* unreachable: tells the verifier the bounds */
		done = spin_verifier_forget32(done + spin_block_copy_(to + put, buffer + at, left));
	}
}

#endif
