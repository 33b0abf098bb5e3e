/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_DMA_PAYLOAD_H
#define BPF_DMA_PAYLOAD_H

/*
 * DMA of any length between a packet's payload and host memory. Called by handlers through <spin/action.h>, and by the default action of
 * messages, which stores their payloads in host memory. A transfer is split into pieces of constant length, because the verifier accepts no
 * copy of a length that is known only at run time.
 */
#include "bpf/messages/space.h"

/* Copies the piece of `count` elements if its bit in `bytes` is set. Its offset is given by the higher bits below 64. */
#define SPIN_COPY_PIECE_(type, count)                                                                    \
	do {                                                                                             \
		uint32_t spin_size_ = sizeof(type) * (count), spin_off_ = bytes & (64 - 2 * spin_size_); \
		const uint8_t *spin_at_ = spin_barrier_pointer_(from + spin_off_);                       \
                                                                                                         \
		if (bytes & spin_size_ && spin_inside_(view, spin_at_ + spin_size_))                     \
			for (uint32_t spin_i_ = 0; spin_i_ < (count); spin_i_++)                         \
				((type *)(to + spin_off_))[spin_i_] = ((const type *)spin_at_)[spin_i_]; \
	} while (0)

/* Copies `bytes` bytes of the payload, which are in bounds. `to` has room for them and for the slack after them. */
SPIN_INLINE void spin_copy_out(const struct spin_view *view, const uint8_t *from, uint8_t *to, uint32_t bytes, uint32_t most)
{
	/* hides what the tests of single bits tell the verifier, which would otherwise check the chunk loop 64 times */
	uint32_t all = spin_verifier_forget32(bytes), pieces = all & 63, chunks = all >> 6;

	/* largest pieces first, so that the offset of a piece is given by the higher bits of the length */
	SPIN_COPY_PIECE_(uint64_t, 4);
	SPIN_COPY_PIECE_(uint64_t, 2);
	SPIN_COPY_PIECE_(uint64_t, 1);
	SPIN_COPY_PIECE_(uint32_t, 1);
	SPIN_COPY_PIECE_(uint16_t, 1);
	SPIN_COPY_PIECE_(uint8_t, 1);
	from = spin_barrier_pointer_(from + pieces);
	to = (uint8_t *)spin_barrier_pointer_(to + pieces);
	for (uint32_t i = 0; i < spin_bytes_max_(view) / 64 && i < most / 64 && i < chunks; i++) {
		if (!spin_inside_(view, from + 64))
			break;
		for (uint32_t k = 0; k < 8; k++)
			((uint64_t *)to)[k] = ((const uint64_t *)from)[k];
		from += 64;
		to += 64;
	}
}

/* The same from a copied frame, by offsets, which the verifier requires there (view.h). */
SPIN_INLINE void spin_copy_out_copied(const struct spin_view *view, const uint8_t *payload, uint32_t off, uint8_t *to, uint32_t bytes,
				      uint32_t most)
{
	uint64_t left = bytes, size, round = 0;

	for (;;) {
		uint64_t done, at;

		left = spin_verifier_forget_(view, left);
		done = spin_barrier_var64_(spin_verifier_forget_(view, bytes - left));
		at = spin_barrier_var64_(spin_verifier_forget_(view, off + done));
		if (!left || done > most || at > SPIN_COPY_BYTES - 64 || !spin_can_loop_(&round, most / 64 + 16))
			break;
		if (left >= 64) {
			SPIN_UNROLL_
			for (uint32_t i = 0; i < 8; i++)
				((uint64_t *)(to + done))[i] = ((const uint64_t *)(payload + at))[i];
			size = 64;
		} else if (left >= 8) {
			*(uint64_t *)(to + done) = *(const uint64_t *)(payload + at);
			size = 8;
		} else {
			to[done] = payload[at];
			size = 1;
		}
		left -= size;
	}
}

/*
 * For both kinds of frames: copies bytes [off, off + bytes) from `payload`, which are in bounds. `bytes` is at most `most`, a constant, for
 * which `to` has room.
 */
SPIN_INLINE void spin_payload_out(const struct spin_view *view, const uint8_t *payload, uint32_t off, uint8_t *to, uint32_t bytes,
				  uint32_t most)
{
	if (view->access == SPIN_COPIED)
		spin_copy_out_copied(view, payload, off, to, bytes, most);
	else
		spin_copy_out(view, spin_barrier_pointer_(payload + (spin_verifier_forget32(off) & spin_offset_mask_(view))), to, bytes,
			      most);
}

/* Blocks of 64 bytes save iterations but take stack, of which a global function has less. */
#ifdef SPIN_BOUNDED_MESSAGES
#define SPIN_PAYLOAD_BLOCKS_ 0
#define SPIN_PAYLOAD_ROUNDS_ (SPIN_COPIED_BYTES_MAX / 8 + 16)
#else
#define SPIN_PAYLOAD_BLOCKS_ 1
#define SPIN_PAYLOAD_ROUNDS_ (spin_bytes_max_(view) / 64 + 16)
#endif

/*
 * Copies into the payload, 64 or 8 bytes at a time and the rest in twos or ones, and tracks the checksum change: a byte at an odd offset is
 * the upper half of its word. Transfers begin at even offsets; only the end of a segment makes an odd one.
 */
SPIN_INLINE void spin_payload_in_(struct spin_packet *packet, uint32_t off, const uint8_t *host, uint32_t bytes)
{
	const struct spin_view *view = &packet->view;
	uint64_t round = 0;
	uint32_t size;

	for (uint32_t done = spin_verifier_forget32(0); done < bytes && spin_can_loop_(&round, SPIN_PAYLOAD_ROUNDS_);
	     done = spin_verifier_forget32(done + size)) {
		uint32_t at = off + done, left = bytes - done, shift = (at & 1) * 8;
		uint64_t from_at = spin_barrier_var64_(view->access == SPIN_COPIED ? spin_verifier_forget_(view, done) : done);
		const uint8_t *from;
		uint8_t *to;

		if (from_at > SPIN_IP_BYTES_MAX)
			return; /* unreachable: for the verifier */
		from = host + from_at;
		at = view->access == SPIN_COPIED ? (uint32_t)spin_verifier_forget_(view, at) : spin_verifier_forget32(at);
		to = (uint8_t *)spin_barrier_pointer_(packet->payload + (at & (SPIN_COPY_BYTES - 1)));
		if (SPIN_PAYLOAD_BLOCKS_ && left >= 64 && !shift) {
			size = 64;
			if (!spin_inside_(view, to + 64))
				return; /* unreachable */
			SPIN_UNROLL_
			for (uint32_t i = 0; i < 16; i++)
				spin_store32_(packet, to + 4 * i, *(const uint32_t *)(from + 4 * i));
		} else if (left >= 8 && !shift) {
			size = 8;
			if (!spin_inside_(view, to + 8))
				return; /* unreachable: for the verifier */
			for (uint32_t i = 0; i < 2; i++)
				spin_store32_(packet, to + 4 * i, *(const uint32_t *)(from + 4 * i));
		} else if (left >= 2 && !shift) {
			size = 2;
			if (!spin_inside_(view, to + 2))
				return; /* unreachable: for the verifier */
			spin_store16_(packet, to, *(const uint16_t *)from);
		} else {
			size = 1;
			if (!spin_inside_(view, to + 1))
				return; /* unreachable: for the verifier */
			spin_changed_(packet, *to << shift, *from << shift, 0xffff);
			*to = *from;
		}
	}
}

#ifdef SPIN_BOUNDED_MESSAGES
#include "bpf/actions/dma_bounded.h"
#else
/* Copies between offset `off` of the payload and offset `start` of the host memory. The caller has checked both ranges. */
SPIN_INLINE void spin_payload_transfer_(struct spin_packet *packet, uint32_t off, uint32_t start, uint32_t bytes, _Bool to_host)
{
	uint8_t *host = spin_host_at(start, 0);

	if (!host)
		return; /* unreachable */
	if (to_host)
		spin_payload_out(&packet->view, packet->payload, off, host, bytes, SPIN_IP_BYTES_MAX);
	else
		spin_payload_in_(packet, off, host, bytes);
}
#endif

/*
 * Copies `bytes` bytes between offset `off` of the payload and byte `at` of a space of the host's memory. Returns 0; SPIN_SEGV if a range
 * is not within the payload or the space, and nothing is copied. The handler's memory may lie in several pieces of host memory.
 */
SPIN_INLINE int spin_payload_move_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t off, uint32_t bytes,
				   _Bool to_host)
{
	uint32_t room, part, start;
	uint64_t round = 0;

	/* hide the bounds learnt here from the verifier: the handler may be in a loop */
	at = spin_verifier_forget32(at);
	off = spin_verifier_forget32(off);
	bytes = spin_verifier_forget32(bytes);
	if (bytes > packet->bytes || off > packet->bytes - bytes || !spin_space_has(packet, space, at, bytes))
		return SPIN_SEGV;
	if (space != SPIN_HANDLER_MEM) {
		spin_payload_transfer_(packet, off, spin_space_at(packet, space, at, &room), bytes, to_host);
		return 0;
	}
	for (uint32_t done = 0; done < bytes && spin_can_loop_(&round, SPIN_SEGMENTS_MAX); done = spin_verifier_forget32(done + part)) {
		start = spin_space_at(packet, space, at + done, &room);
		part = spin_verifier_forget32(bytes - done < room ? bytes - done : room);
		if (!part)
			return SPIN_SEGV; /* unreachable */
		spin_payload_transfer_(packet, off + done, start, part, to_host);
	}
	return 0;
}

SPIN_INLINE int spin_payload_to_host_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t off,
				      uint32_t bytes)
{
	return spin_payload_move_((struct spin_packet *)packet, space, at, off, bytes, 1);
}

SPIN_INLINE int spin_payload_from_host_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t off, uint32_t bytes)
{
	if (off & 1)
		return SPIN_SEGV;
	return spin_payload_move_(packet, space, at, off, bytes, 0);
}

#endif
