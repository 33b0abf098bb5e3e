/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_COMMANDS_H
#define HWMODEL_SOC_COMMANDS_H

/*
 * Commands on their way from HPUs to the three interfaces: host-direct, NIC outbound, host DMA (hwmodel/README.md, "Commands").
 * Each HPU has a queue. In each cycle one command of a cluster moves to the cluster's register, which holds two, and each interface
 * with a free place takes one of the commands at the head of a cluster's register. So a command also waits for those before it that
 * go to another interface. An interface moves its commands in order, 64 bytes per cycle; sends and DMAs to the host share the read
 * path.
 */
#include "hwmodel/soc/state.h"

struct commands;

struct commands *commands__new(struct soc *soc);
void commands__free(struct commands *commands);

/* hpu->commands[slot] is issued at this cycle. on_command_known() is called when its times are known, at a later cycle. */
void commands__issue(struct commands *commands, uint64_t cycle, struct hpu *hpu, unsigned slot);

/* Cycles in which commands of this kind moved data. */
uint64_t commands__busy(const struct commands *commands, enum hpu_command_kind kind);

#endif
