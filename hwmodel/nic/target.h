/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_TARGET_H
#define NIC_TARGET_H

/*
 * A target NIC's constants. Each stands once, in target.c, with its source.
 * Cycles are of the HPU clock.
 */
#include <stdint.h>

#include <hwmodel/pspin.h>

/* Cycles of one access, back to back, by where it goes. */
struct pspin_latency {
	uint32_t l2_packet, l2_handler, remote_l1;
};

struct pspin_target {
	const char *name;
	uint32_t clock_mhz;
	uint32_t runtime_cycles; /* between two handlers on one HPU, beyond the body */

	struct pspin_latency load, store, amo;

	/* Commands: from issue to completion, plus one cycle per beat moved. */
	uint32_t beat_bytes;
	uint32_t send_l1, send_l2, to_host_l1, to_host_l2, from_host, host_direct;
	uint32_t command_slots; /* in flight per HPU */
	uint32_t slot_reuse;	/* from a completion to an issue that waited for it */

	/* Cluster DMA: from launch to the id being readable as done, plus cycles per beat. */
	uint32_t dma_l2_packet, dma_l2_handler, dma_own_l1, dma_remote_l1, dma_to_l2;
	uint32_t dma_own_l1_per_beat; /* reads and writes the same L1 */
	uint32_t dma_own_l1_beats;    /* a shorter transfer takes as long as these */

	uint32_t watchdog_cycles; /* a task that runs longer is stopped */
};

#endif
