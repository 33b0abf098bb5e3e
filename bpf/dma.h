/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_BPF_DMA_H
#define SPIN_BPF_DMA_H

/*
 * DMA between HPU memory and host memory (sPIN B.6), which is memory that both sides see: a transfer is
 * done when it was issued. Lengths are known when compiling.
 */
#include "space.h"

/* A transfer over several segments of host memory: byte by byte, the verifier wants stack read so. */
SPIN_INLINE void spin_dma_pieces_(const struct spin_packet *packet, uint32_t at, uint8_t *hpu, uint32_t bytes,
				  _Bool to_host)
{
	uint32_t room = 0, start = 0;

	/* in the isolated class an index has to be as unknown at the first round as at the others */
	for (uint32_t done = spin_blur(0); done < bytes && spin_go_on_(); done = spin_blur(done + 1)) {
		uint8_t *host;

		if (!room)
			start = spin_space_at(packet, SPIN_HANDLER_MEM, at + done, &room);
		host = spin_host_at(start, 1);
		if (!host)
			return; /* cannot be */
		if (to_host)
			*host = hpu[done];
		else
			hpu[done] = *host;
		start = spin_blur(start + 1);
		room = spin_blur(room - 1);
	}
}

SPIN_INLINE int spin_dma_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, void *hpu,
			  uint32_t bytes, _Bool to_host)
{
	uint32_t room, *host;

	if (!spin_space_has(packet, space, at, bytes))
		return SPIN_SEGV;
	if (!bytes)
		return 0;
	host = (uint32_t *)spin_host_at(spin_space_at(packet, space, at, &room), bytes);
	if (space == SPIN_HANDLER_MEM && room < bytes) {
		spin_dma_pieces_(packet, at, hpu, bytes, to_host);
		return 0;
	}
	if (!host)
		return SPIN_SEGV; /* cannot be */
	for (uint32_t i = 0; i < bytes / 4; i++) {
		if (to_host)
			host[i] = ((const uint32_t *)hpu)[i];
		else
			((uint32_t *)hpu)[i] = host[i];
	}
	return 0;
}

SPIN_INLINE int spin_dma_to_host_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at,
				  const void *from, uint32_t bytes)
{
	return spin_dma_(packet, space, at, (void *)from, bytes, 1);
}

SPIN_INLINE int spin_dma_from_host_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at,
				    void *to, uint32_t bytes)
{
	return spin_dma_(packet, space, at, to, bytes, 0);
}

#endif
