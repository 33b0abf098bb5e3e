/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_DMA_ATOMIC_H
#define BPF_DMA_ATOMIC_H

/*
 * Atomic operations of handlers on host memory, the application's (sPIN B.6), also atomic with respect to accesses by the host. Called by
 * handlers through <spin/action.h>.
 */
#include "bpf/messages/space.h"

/*
 * Returns the host address of a value of `bytes` (4 or 8) at offset `at` of the space. NULL: it is outside the space or not naturally
 * aligned, and the operation returns SPIN_SEGV. Segments have multiples of 8 bytes, so an aligned value never spans two.
 */
SPIN_INLINE void *spin_dma_word_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t bytes)
{
	uint32_t start, room;

	if (!spin_space_has(packet, space, at, bytes))
		return 0;
	start = spin_space_at(packet, space, at, &room);
	if (start & (bytes - 1))
		return 0;
	return spin_host_at(spin_barrier_var_(start) & ~(bytes - 1), bytes); /* only the mask proves the alignment to the verifier */
}

SPIN_INLINE int spin_dma_cas64_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint64_t *compare, uint64_t swap)
{
	uint64_t *host = spin_dma_word_(packet, space, at, sizeof(*host));

	if (!host)
		return SPIN_SEGV;
	*compare = spin_cmpxchg(host, *compare, swap);
	return 0;
}

SPIN_INLINE int spin_dma_fadd32_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t n, uint32_t *before)
{
	uint32_t *host = spin_dma_word_(packet, space, at, sizeof(*host));

	if (!host)
		return SPIN_SEGV;
	*before = spin_fetch_add(host, n);
	return 0;
}

SPIN_INLINE int spin_dma_fadd64_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint64_t n, uint64_t *before)
{
	uint64_t *host = spin_dma_word_(packet, space, at, sizeof(*host));

	if (!host)
		return SPIN_SEGV;
	*before = spin_fetch_add(host, n);
	return 0;
}

#endif
