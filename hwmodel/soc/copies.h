/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_COPIES_H
#define HWMODEL_SOC_COPIES_H

/*
 * Packet copies from L2 to the clusters' L1s (hwmodel/README.md, "Packet copies"). A cluster's copies are in order, at most copy_queue of
 * them in flight. Packet memory moves one beat per cycle for all clusters (l2.h), in the order in which copies were admitted; the clusters
 * take turns. The beats wait at their cluster's writer, which begins one copy per copy_gap. While a writer is full, all clusters wait.
 * Called by scheduler.c, and by peripherals.c for the cores' own transfers.
 */
#include "hwmodel/soc/state.h"

struct copies;

struct copies *copies__new(struct soc *soc); /* NULL: no memory */
void copies__free(struct copies *copies);

/*
 * Requests a copy of `beats` beats from L2 address `l2` to offset `l1` of the cluster's L1, in this cycle. on_copied() is called when
 * it is done.
 */
void copies__request(struct copies *copies, uint64_t cycle, unsigned cluster, uint32_t l2, uint32_t l1, uint32_t beats);

/*
 * Called when an HPU launches a transfer in this cycle. The cluster's DMA is one queue, so all copies requested earlier go first and
 * are admitted now.
 */
void copies__admit_all(struct copies *copies, uint64_t cycle, unsigned cluster);

/*
 * A cluster's packet buffer in L1: rings of 64-byte slots (hwmodel/README.md, "Packet copies"). A packet's place is contiguous. A place
 * freed in the middle is reused only when all earlier ones of its ring are free, so one slow packet blocks only its own ring.
 */

struct rings;

struct rings *rings__new(const struct pspin_target *target); /* NULL: no memory */
void rings__free(struct rings *rings);

/* Allocates `bytes` in this cycle. Returns the offset in the packet buffer, or -1 if there is no room. */
int64_t rings__take(struct rings *rings, uint64_t cycle, uint32_t bytes);
/* Frees them in this cycle; they can be allocated RING_BACK_CYCLES later. Calls must be in order of cycle. */
void rings__give_back(struct rings *rings, uint64_t cycle, uint32_t offset, uint32_t bytes);

#endif
