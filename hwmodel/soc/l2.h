/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_L2_H
#define SOC_L2_H

/*
 * The one in-order port of all HPUs to L2 (pspin_load.md 3), and the read port of packet memory that copies to L1, and HPUs'
 * loads there, share (pspin_load.md 1, 3). Calendars; calls come in order of cycle.
 */
#include <hwmodel/rv32.h>

#include "../target/parameters.h"
#include "storage.h"

struct l2;

struct l2 *l2__new(const struct pspin_target *target);
void l2__free(struct l2 *l2);

/* How many cycles beyond the idle machine's an access issued at `cycle` takes. */
uint64_t l2__wait(struct l2 *l2, uint64_t cycle, enum memory_region region, enum rv32_access kind);

/*
 * A burst of `beats` for a copy to L1, asked for at `cycle`: returns the cycle of its first beat; the others follow one per
 * cycle. The port is taken until then.
 */
uint64_t l2__burst(struct l2 *l2, uint64_t cycle, unsigned beats);

/* Cycles in which it was taken. */
uint64_t l2__port_busy(const struct l2 *l2);
uint64_t l2__read_busy(const struct l2 *l2);

#endif
