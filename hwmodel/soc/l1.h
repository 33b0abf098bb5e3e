/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_L1_H
#define SOC_L1_H

/*
 * The banks of one cluster's L1 (hwmodel/README.md, "L1", "Remote L1" and "Packet copies"): each serves one access per
 * cycle, an AMO keeps its bank one cycle more; a beat of the cluster's DMA takes the banks of its line for its cycle,
 * before any core. Calls come in order of cycle.
 */
#include <hwmodel/rv32.h>

#include "hwmodel/target/parameters.h"

struct l1;

struct l1 *l1__new(const struct pspin_target *target);
void l1__free(struct l1 *l1);

/*
 * Input `who` of the bank of this offset asks: an HPU, by its index, or after all of them the port of accesses from other
 * clusters. The cycle in which the bank serves it, if that is known at once: nobody else asks before `alone_before`, and it is
 * served by then, or the bank is free and the access no AMO (assumed: of loads and stores that come to a free bank in one cycle
 * the lowest index goes first; `alone_before` 0: not then either). Else L1_WAITS: it is granted when all who ask in that cycle
 * are known. *again: in this cycle l1__grant() is to be called for the one before; 0: who waits there already has been told so.
 */
#define L1_WAITS UINT64_MAX
uint64_t l1__access(struct l1 *l1, uint64_t cycle, uint32_t offset, enum rv32_access kind, unsigned who, uint64_t alone_before,
		    uint64_t *again);
uint32_t l1__bank(const struct l1 *l1, uint32_t offset);

/*
 * Who of those that wait for the bank is served in this cycle; -1: nobody. PULP's round robin (arbiter.h), which does not
 * know who came first: who was served alone keeps its turn, so that a lock's waiter goes before the owner that unlocks.
 * *again: as above.
 */
int l1__grant(struct l1 *l1, uint64_t cycle, uint32_t bank, uint64_t *again);
/*
 * 1: nobody waits, no bank is taken from this cycle on, and AMOs take no longer than cores know of: one that is alone need not
 * ask.
 */
int l1__rests(const struct l1 *l1, uint64_t cycle);

/* One beat at `offset` in that cycle; up to L1_AHEAD cycles ahead of the latest access. */
#define L1_AHEAD 65536u
void l1__beat(struct l1 *l1, uint64_t cycle, uint32_t offset);

/* The incoming port of accesses from other clusters: when it passes this one on to its bank. */
uint64_t l1__incoming(struct l1 *l1, uint64_t cycle, enum rv32_access kind);
/* Cycles that the port was taken. */
uint64_t l1__port_busy(const struct l1 *l1);

/* Cycles that accesses waited for their banks. */
uint64_t l1__conflicts(const struct l1 *l1);

#endif
