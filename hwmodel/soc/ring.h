/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_RING_H
#define SOC_RING_H

/*
 * A cluster's packet buffer in L1: rings of 64-byte slots (hwmodel/README.md, "Packet copies"). A packet's place is
 * contiguous; what is given back in the middle is of use when all before it in its ring is, too. So one slow packet holds
 * up its ring alone.
 */
#include "hwmodel/target/parameters.h"

struct rings;

struct rings *rings__new(const struct pspin_target *target); /* NULL: no memory */
void rings__free(struct rings *rings);

/* Is there room in this cycle? Then its offset in the buffer, which is taken. -1: no room. */
int64_t rings__take(struct rings *rings, uint64_t cycle, uint32_t bytes);
/* Given back in this cycle; of use RING_BACK_CYCLES later. In order of cycle. */
#define RING_BACK_CYCLES 2u /* S: the slots' bits, then the head behind them */
void rings__give_back(struct rings *rings, uint64_t cycle, uint32_t offset, uint32_t bytes);

#endif
