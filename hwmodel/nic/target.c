/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Targets. Sources: P = measured on PsPIN's RTL, by the row's name in the
 * calibration tables for one idle HPU; D = derived from such rows as said;
 * A = assumed.
 */
#include <string.h>

#include "target.h"

static const struct pspin_target pspin_rtl = {
	.name = "pspin-rtl",
	.clock_mhz = 1000,   /* P: 1 tick = 1 ns */
	.runtime_cycles = 9, /* P: HPU start-to-start, saturated, B + 9 */

	.load = {20, 21, 22},  /* P: load L2 packet / L2 handler / remote L1 */
	.store = {21, 21, 23}, /* P: store; LR/SC pairs follow: 20 + 21, 21 + 21 */
	.amo = {22, 27, 24},   /* P: AMO, same word; {AMO; use} is one load-use more */

	.beat_bytes = 64, /* P: n = ceil(bytes / 64) */
	.send_l1 = 5,
	.send_l2 = 8, /* P: send packet, 5 + n / 8 + n */
	.to_host_l1 = 18,
	.to_host_l2 = 20,   /* P: DMA to host, 18 + n / 20 + n */
	.from_host = 19,    /* P: DMA from host to L1, 19 + n */
	.host_direct = 6,   /* P: host-direct write, 8 bytes */
	.command_slots = 4, /* P: 4 in flight per HPU */
	.slot_reuse = 1,    /* D: time of one command / 4 in flight, tight loops of one HPU */

	/* D: the row's total, less 7 to issue, 4 for the last poll, and polls 5 apart. */
	.dma_l2_packet = 9,   /* 21, 26, 31, 36, 54 */
	.dma_l2_handler = 11, /* 26, 26, 31, 41, 57 */
	.dma_own_l1 = 3,      /* 23, 28, 33, 48, 84 */
	.dma_remote_l1 = 7,   /* 21, 26, 26, 36, 51 */
	.dma_to_l2 = 9,	      /* 21, 26, 31, 36, 56 */
	.dma_own_l1_per_beat = 2,
	.dma_own_l1_beats =
		2, /* 4 to 64 B take 23, which 3 + 2 per beat would end by the poll before */

	.watchdog_cycles = 1000000, /* A: 1 ms */
};

const struct pspin_target *pspin_target__find(const char *name)
{
	return name && !strcmp(name, pspin_rtl.name) ? &pspin_rtl : NULL;
}

const char *pspin_target__name(const struct pspin_target *target)
{
	return target->name;
}

double pspin_target__clock_ghz(const struct pspin_target *target)
{
	return target->clock_mhz / 1000.0;
}

unsigned pspin_target__runtime_cycles(const struct pspin_target *target)
{
	return target->runtime_cycles;
}
