/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_L1_H
#define HWMODEL_SOC_L1_H

/*
 * Timing of the banks of one cluster's L1 memory (hwmodel/README.md, "L1", "Remote L1" and "Packet copies"). Each bank serves one access
 * per cycle; an AMO occupies its bank for one cycle more. A beat of the cluster's DMA takes the banks of its line before any core in that
 * cycle. Calls must be in order of cycle. Called by bus.c, copies.c, peripherals.c and commands.c.
 */
#include <hwmodel/rv32.h>

#include "hwmodel/soc/state.h"

struct l1;

struct l1 *l1__new(const struct pspin_target *target);
void l1__free(struct l1 *l1);

#define L1_WAITS UINT64_MAX
/*
 * Requests bank access at `cycle` for an input of the bank: an HPU, by its index, or the incoming port. Returns the cycle in which it
 * is served, or L1_WAITS: soc__grant() follows later. alone_before: no other request comes before that cycle.
 */
uint64_t l1__request(struct soc *soc, uint64_t cycle, unsigned cluster, unsigned input, uint32_t offset, enum rv32_access kind,
		     uint64_t alone_before);
/* Sends an access to another cluster's L1 at this cycle; the HPU is pending until soc__grant(). */
void l1__request_remote(struct hpu *hpu, uint64_t cycle, unsigned cluster, uint32_t offset, enum rv32_access kind);

/*
 * Returns 1 if no request waits, no bank is taken from this cycle on, and an AMO does not take longer than a core accounts for. An HPU
 * that is alone in its cluster then need not request anything.
 */
int l1__is_idle(const struct l1 *l1, uint64_t cycle);

/* Takes the banks at `offset` for one beat in that cycle, which may be up to L1_AHEAD cycles ahead of the latest access. */
#define L1_AHEAD 65536u
void l1__reserve_beat(struct l1 *l1, uint64_t cycle, uint32_t offset);
/* The same, but in the first cycle from this one on in which no other beat takes these banks. Returns that cycle. */
uint64_t l1__reserve_next_beat(struct l1 *l1, uint64_t cycle, uint32_t offset);

/* Returns the cycles in which the port was busy. */
uint64_t l1__port_busy(const struct l1 *l1);

/* Returns the cycles that accesses waited for their banks. */
uint64_t l1__conflicts(const struct l1 *l1);

#endif
