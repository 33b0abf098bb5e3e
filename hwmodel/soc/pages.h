/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_PAGES_H
#define HWMODEL_SOC_PAGES_H

/*
 * Splits a DMA transfer into bursts, for its timing. PsPIN's DMAs make a burst of each page that a transfer touches, separately on the side
 * that it reads and on the side that it writes (axi_dma_burst_reshaper.sv). Short bursts take longer than their beats. Used by the
 * cluster's DMA (copies.c, peripherals.c) and the host's (commands.c).
 */
#include <stdint.h>

#include "hwmodel/soc/timing.h"

/* Beats of the first and of the last burst; 0 if there is only one burst. */
struct parts {
	uint32_t first, last;
};

static inline struct parts pages__split(uint64_t addr, uint32_t beats, uint32_t beat_bytes)
{
	const uint32_t page = DMA_PAGE_BYTES / beat_bytes, first = page - (uint32_t)(addr % DMA_PAGE_BYTES) / beat_bytes;

	if (first >= beats)
		return (struct parts){ 0 };
	return (struct parts){ first, (beats - first - 1) % page + 1 };
}

/* Returns by how many cycles a part is shorter than the shortest burst; 0 if it is not, or if there is no part. */
static inline uint32_t pages__short_of(uint32_t part, uint32_t shortest)
{
	return part && part < shortest ? shortest - part : 0;
}

#endif
