/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_DMA_H
#define SOC_DMA_H

/* A cluster's DMA engine as a calendar: one transfer's beats after the other's, so many transfers in flight. */
#include <stdint.h>

#define DMA_TRANSFERS_MAX 64u

struct dma {
	uint64_t free;                      /* when the last one's beats end, an HPU's or a packet's */
	uint64_t launched;                  /* the same of the HPUs' last: packet copies that come later begin behind it */
	uint64_t done;                      /* when the last one of an HPU is */
	uint64_t leaves[DMA_TRANSFERS_MAX]; /* when each of those in flight makes room */
	unsigned next;
};

#endif
