/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_DMA_H
#define BPF_DMA_H

/*
 * DMA between HPU memory (the handlers' state and variables) and host memory (the application's; sPIN B.6), of a length known at compile
 * time. Called by handlers through the macros of <spin/action.h>, such as spin_dma_to_host(), in the kernel and in the host build. On
 * PsPIN's card a DMA engine copies. Here both memories belong to this machine, so the call itself copies, and the transfer is complete when
 * it returns.
 */
#include "bpf/messages/space.h"

/*
 * Returns the host address of byte `at` of the handler's memory, for loops that go through it byte by byte and cross its segments. The
 * caller keeps *start, the offset of the next byte in the host memory, and *room, the bytes left in its segment; both are 0 at first.
 */
SPIN_INLINE uint8_t *spin_dma_byte_(const struct spin_packet *packet, uint32_t at, uint32_t *start, uint32_t *room)
{
	uint32_t byte_at;

	if (!*room)
		*start = spin_space_at(packet, SPIN_HANDLER_MEM, at, room);
	byte_at = *start;
	*start = spin_verifier_forget32(byte_at + 1);
	*room = spin_verifier_forget32(*room - 1);
	return spin_host_at(byte_at, 1); /* last, and tested at once: see spin_host_at() */
}

#define SPIN_FEW_WORDS_ (SPIN_HOST_WRITE_MAX / 8)

/*
 * Copies at most SPIN_HOST_WRITE_MAX bytes to several segments. They are kept in registers and shifted, because in the isolated class a
 * program may read its stack only at constant offsets.
 */
SPIN_INLINE void spin_dma_few_pieces_(const struct spin_packet *packet, uint32_t at, const uint8_t *hpu, uint32_t bytes)
{
	uint32_t room = 0, start = 0;
	uint64_t word[SPIN_FEW_WORDS_ + 1] = { 0 }, round = 0;

	for (uint32_t i = 0; i < bytes / 4; i++)
		word[i / 2] |= (uint64_t)((const uint32_t *)hpu)[i] << (i % 2 * 32);
	for (uint32_t done = spin_verifier_forget32(0); done < bytes && spin_can_loop_(&round, bytes);
	     done = spin_verifier_forget32(done + 1)) {
		uint8_t *host = spin_dma_byte_(packet, at + done, &start, &room);

		if (!host)
			return; /* unreachable: for the verifier */
		*host = (uint8_t)word[0];
		for (uint32_t i = 0; i < SPIN_FEW_WORDS_; i++)
			word[i] = word[i] >> 8 | word[i + 1] << 56;
	}
}

/* Copies to or from several segments, byte by byte: the verifier rejects wider stack reads at variable offsets. */
SPIN_INLINE void spin_dma_pieces_(const struct spin_packet *packet, uint32_t at, uint8_t *hpu, uint32_t bytes, _Bool to_host)
{
	uint32_t room = 0, start = 0;
	uint64_t round = 0;

	/* in the isolated class the index must be as unknown in the first iteration as in the others */
	for (uint32_t done = spin_verifier_forget32(0); done < bytes && spin_can_loop_(&round, bytes);
	     done = spin_verifier_forget32(done + 1)) {
		uint8_t *host = spin_dma_byte_(packet, at + done, &start, &room);
		uint64_t i;

		if (!host)
			return; /* unreachable: for the verifier */
		i = spin_barrier_var64_(done);
		if (i >= bytes)
			return; /* unreachable: tells the verifier i's bound, also where done was spilled */
		if (to_host)
			*host = hpu[i];
		else
			hpu[i] = *host;
	}
}

/*
 * Copies `bytes` bytes, a constant multiple of 4, between `hpu` and byte `at` of a space of the host's memory. Returns 0; SPIN_SEGV if the
 * range is not within the space, and then copies nothing. Only the handler's memory may lie in several segments.
 */
SPIN_INLINE int spin_dma_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, void *hpu, uint32_t bytes,
			  _Bool to_host)
{
	uint32_t room, start, *host;

	if (!spin_space_has(packet, space, at, bytes))
		return SPIN_SEGV;
	if (!bytes)
		return 0;
	start = spin_space_at(packet, space, at, &room);
	if (space == SPIN_HANDLER_MEM && room < bytes) {
		if (to_host && bytes <= SPIN_HOST_WRITE_MAX)
			spin_dma_few_pieces_(packet, at, hpu, bytes);
		else
			spin_dma_pieces_(packet, at, hpu, bytes, to_host);
		return 0;
	}
	host = (uint32_t *)spin_host_at(start, bytes);
	if (!host)
		return SPIN_SEGV; /* unreachable: for the verifier */
	for (uint32_t i = 0; i < bytes / 4; i++) {
		if (to_host)
			host[i] = ((const uint32_t *)hpu)[i];
		else
			((uint32_t *)hpu)[i] = host[i];
	}
	return 0;
}

SPIN_INLINE int spin_dma_to_host_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, const void *from,
				  uint32_t bytes)
{
	return spin_dma_(packet, space, at, (void *)from, bytes, 1);
}

SPIN_INLINE int spin_dma_from_host_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, void *to, uint32_t bytes)
{
	return spin_dma_(packet, space, at, to, bytes, 0);
}

#endif
