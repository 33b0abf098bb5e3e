/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_BPF_HOST_MEMORY_H
#define SPIN_BPF_HOST_MEMORY_H

/*
 * DMA to host memory (sPIN B.6), which is memory that both sides see: a transfer is done
 * when it was issued. Behind the host memory there is slack, so that the
 * verifier is content with where a transfer begins; what is written is exact.
 */
#include "message_state.h"

/* The piece of `words` times 8 bytes, or of 1, 2 or 4, that `bytes` has if that bit of it is set. */
#define SPIN_COPY_PIECE_(type, count) \
	do { \
		uint32_t spin_size_ = sizeof(type) * (count), spin_off_ = bytes & (64 - 2 * spin_size_); \
		const uint8_t *spin_at_ = spin_opaque_pointer_(from + spin_off_); \
 \
		if (bytes & spin_size_ && spin_inside_(view, spin_at_ + spin_size_)) \
			for (uint32_t spin_i_ = 0; spin_i_ < (count); spin_i_++) \
				((type *)(to + spin_off_))[spin_i_] = ((const type *)spin_at_)[spin_i_]; \
	} while (0)

/* From the payload, where all of `bytes` lie. `to` has room for them, and the slack behind. */
SPIN_INLINE void spin_copy_out_(const struct spin_view *view, const uint8_t *from, uint8_t *to, uint32_t bytes)
{
	uint32_t pieces = bytes & 63, chunks = bytes >> 6;

	/* largest pieces first, so that a piece's place is what the larger bits of the number say */
	SPIN_COPY_PIECE_(uint64_t, 4);
	SPIN_COPY_PIECE_(uint64_t, 2);
	SPIN_COPY_PIECE_(uint64_t, 1);
	SPIN_COPY_PIECE_(uint32_t, 1);
	SPIN_COPY_PIECE_(uint16_t, 1);
	SPIN_COPY_PIECE_(uint8_t, 1);
	from = spin_opaque_pointer_(from + pieces);
	to = (uint8_t *)spin_opaque_pointer_(to + pieces);
	for (uint32_t i = 0; i < spin_bytes_max_(view) / 64 && i < chunks; i++) {
		if (!spin_inside_(view, from + 64))
			break;
		for (uint32_t k = 0; k < 8; k++)
			((uint64_t *)to)[k] = ((const uint64_t *)from)[k];
		from += 64;
		to += 64;
	}
}

/* The same from a frame that was copied: by numbers, as the verifier wants them there (view.h). */
SPIN_INLINE void spin_copy_out_copied_(const struct spin_view *view, const uint8_t *payload, uint32_t off, uint8_t *to,
				       uint32_t bytes)
{
	uint64_t left = bytes, size;

	for (;;) {
		uint64_t done, at;

		left = spin_unknown_(view, left);
		done = spin_opaque64_(spin_unknown_(view, bytes - left));
		at = spin_opaque64_(spin_unknown_(view, off + done));
		if (!left || done > SPIN_IP_BYTES_MAX || at > SPIN_COPY_BYTES - 8 || !spin_go_on_())
			break;
		if (left >= 8) {
			*(uint64_t *)(to + done) = *(const uint64_t *)(payload + at);
			size = 8;
		} else {
			to[done] = payload[at];
			size = 1;
		}
		left -= size;
	}
}

/* Where `bytes` from byte `to` of the message's place on are; NULL: not all inside. */
SPIN_INLINE uint8_t *spin_place_of_(const struct spin_packet *packet, uint32_t to, uint32_t bytes)
{
	const struct spin_mpq *q = &spin_mpqs[packet->mpq & (SPIN_MPQS_MAX - 1)];
	uint8_t *host = spin_host_memory();
	uint64_t at;

	if (!host || bytes > q->place_bytes || to > q->place_bytes - bytes)
		return 0;
	at = (uint64_t)q->place + to;
	at = spin_opaque64_(at);
	if (at > spin_config.host_bytes)
		return 0; /* cannot be */
	return host + at;
}

SPIN_INLINE int spin_payload_to_host_(const struct spin_packet *packet, enum spin_host_space space, uint32_t to,
				      uint32_t off, uint32_t bytes)
{
	const struct spin_view *view = &packet->view;
	const uint8_t *from;
	uint8_t *host;

	if (space != SPIN_ME_MEM || bytes > packet->bytes || off > packet->bytes - bytes)
		return SPIN_SEGV;
	host = spin_place_of_(packet, to, bytes);
	if (!host)
		return SPIN_SEGV;
	if (view->access == SPIN_COPIED) {
		spin_copy_out_copied_(view, packet->payload, off, host, bytes);
		return 0;
	}
	from = spin_opaque_pointer_(packet->payload + (spin_opaque_(off) & spin_offset_mask_(view)));
	spin_copy_out_(view, from, host, bytes);
	return 0;
}

SPIN_INLINE int spin_dma_to_host_(const struct spin_packet *packet, enum spin_host_space space, uint32_t to,
				  const void *from, uint32_t bytes)
{
	uint8_t *host = spin_place_of_(packet, to, bytes);

	if (space != SPIN_ME_MEM || !host)
		return SPIN_SEGV;
	for (uint32_t i = 0; i < bytes / 4; i++)
		((uint32_t *)host)[i] = ((const uint32_t *)from)[i];
	return 0;
}

#endif
