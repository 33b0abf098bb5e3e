/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_INTERFACES_H
#define SOC_INTERFACES_H

/*
 * The three interfaces that commands go through (hwmodel/README.md, "Commands"): host-direct, NIC outbound, host DMA; so
 * many in flight on each, 64 B per cycle, sends and DMAs to host sharing the read path; behind them host (PCIe) and wire.
 * Calendars: what an interface has taken is moved in its order. Calls come in order of cycle.
 */
#include "hwmodel/soc/hpu.h"

enum { HOST_DIRECT, OUTBOUND, HOST_DMA, INTERFACES };

#define INTERFACE_CYCLES 2u /* S: a command gets to its interface through its HPU's queue and its cluster's register */

struct interfaces;
struct l1;

struct interfaces *interfaces__new(const struct pspin_target *target, struct l1 *const *l1);
void interfaces__free(struct interfaces *interfaces);

unsigned interface__of(enum hpu_command_kind kind);
/* When it has a place for one more: it has now if that is not later. */
uint64_t interface__has_place(const struct interfaces *interfaces, unsigned interface);
/* It takes the command at the cycle: sets when that is done, and when its last byte left. */
void interface__take(struct interfaces *interfaces, uint64_t cycle, struct hpu_command *command);

/* Cycles in which each interface moved data. */
uint64_t interfaces__busy(const struct interfaces *interfaces, enum hpu_command_kind kind);

#endif
