/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_COMMANDS_H
#define SOC_COMMANDS_H

/*
 * The three interfaces that commands go through (pspin_load.md 2): host-direct, NIC outbound, host DMA; so many in flight on
 * each, 64 B per cycle, sends and DMAs to host sharing the read path; behind them host (PCIe) and wire. Calendars; calls come
 * in order of cycle.
 */
#include "hpu.h"

struct commands;

struct commands *commands__new(const struct pspin_target *target);
void commands__free(struct commands *commands);

/*
 * A command issued at `cycle`: when it is done. `region`: where in the NIC its bytes are, and of which cluster's L1. In *left
 * when its last byte was on the wire or at the host (from the host: at the NIC).
 */
uint64_t commands__issue(struct commands *commands, uint64_t cycle, unsigned cluster, const struct hpu_command *command,
			 enum memory_region region, uint64_t *left);

/* Cycles in which each interface moved data. */
uint64_t commands__busy(const struct commands *commands, enum hpu_command_kind kind);

#endif
