/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_SPIN_DMA_H
#define PSPIN_SPIN_DMA_H

/*
 * The cluster's DMA engine, by the calls of PsPIN's runtime; included by handler.h for handler files of `spincc --api pspin`. Copies
 * between L2, any L1 and the packet. Transfer ids increase; a transfer is done if its id is not above the last finished one. The engine of
 * another cluster cannot be used (spin__public_*).
 */
#include <stdint.h>

#define PSPIN_DMA_(offset) (*(volatile uint32_t *)(0x1b204400 + (offset)))

/* Starts a transfer and returns its id. */
static inline uint32_t spin__memcpy_nonblk(void *src_addr, void *dst_addr, uint32_t num_bytes)
{
	uint32_t id;

	PSPIN_DMA_(0x00) = (uint32_t)src_addr;
	PSPIN_DMA_(0x08) = (uint32_t)dst_addr;
	PSPIN_DMA_(0x10) = num_bytes;
	__asm__ volatile("" : : : "memory");
	id = PSPIN_DMA_(0x18); /* the read starts the transfer */
	return id;
}

static inline char spin__tf_completed(uint32_t tf_id)
{
	char done = tf_id <= PSPIN_DMA_(0x20);

	__asm__ volatile("" : : : "memory");
	return done;
}

static inline void spin__wait_for_tf_completion(uint32_t tf_id)
{
	while (!spin__tf_completed(tf_id))
		__asm__ volatile("nop");
}

static inline void spin__memcpy(void *src_addr, void *dst_addr, uint32_t num_bytes)
{
	spin__wait_for_tf_completion(spin__memcpy_nonblk(src_addr, dst_addr, num_bytes));
}

#endif
