/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_L1_H
#define HWMODEL_SOC_L1_H

/*
 * The banks of one cluster's L1 (hwmodel/README.md, "L1", "Remote L1" and "Packet copies"). Each bank serves one access per cycle;
 * an AMO keeps its bank one cycle longer. A beat of the cluster's DMA takes the banks of its line before any core in that cycle.
 * Calls must come in order of cycle.
 */
#include <hwmodel/rv32.h>

#include "hwmodel/soc/state.h"

struct l1;

struct l1 *l1__new(const struct pspin_target *target);
void l1__free(struct l1 *l1);

#define L1_WAITS UINT64_MAX
/*
 * Requests bank access at `cycle` for an input of the bank: an HPU, by its index, or the incoming port. Returns the cycle in which it
 * is served, or L1_WAITS: then soc__grant() follows. alone_before: no other request comes before that cycle.
 */
uint64_t l1__request(struct soc *soc, uint64_t cycle, unsigned cluster, unsigned input, uint32_t offset, enum rv32_access kind,
		     uint64_t alone_before);
/* An access to another cluster's L1 sets out at this cycle; the HPU is pending until soc__grant(). */
void l1__request_remote(struct hpu *hpu, uint64_t cycle, unsigned cluster, uint32_t offset, enum rv32_access kind);

/*
 * No request waits, no bank is taken from this cycle on, and an AMO takes no longer than a core knows of: an HPU that is alone in its
 * cluster need not request anything.
 */
int l1__rests(const struct l1 *l1, uint64_t cycle);

/* One beat at `offset` in that cycle; up to L1_AHEAD cycles ahead of the latest access. */
#define L1_AHEAD 65536u
void l1__beat(struct l1 *l1, uint64_t cycle, uint32_t offset);
/* The same, but in the first cycle from this one on in which no other beat takes its banks: returns that. */
uint64_t l1__beat_behind(struct l1 *l1, uint64_t cycle, uint32_t offset);

/* Cycles that the port was taken. */
uint64_t l1__port_busy(const struct l1 *l1);

/* Cycles that accesses waited for their banks. */
uint64_t l1__conflicts(const struct l1 *l1);

#endif
