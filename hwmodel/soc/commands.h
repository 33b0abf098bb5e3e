/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_COMMANDS_H
#define HWMODEL_SOC_COMMANDS_H

/*
 * Timing of commands on their way from HPUs, the NIC's cores, to the three interfaces: host-direct, NIC outbound, host DMA
 * (hwmodel/README.md, "Commands"). Each HPU has a queue. In each cycle one command of a cluster moves to the cluster's register, which
 * holds two. Each interface with a free slot takes one of the commands at the head of a cluster's register. So a command also waits for
 * earlier ones that go to another interface. An interface moves its commands in order, 64 bytes per cycle; sends and DMAs to the host share
 * the read path. Called by driver.c.
 */
#include "hwmodel/soc/state.h"

struct commands;

struct commands *commands__new(struct soc *soc);
void commands__free(struct commands *commands);

/* Issues hpu->commands[slot] at this cycle. on_command_known() is called later, when its times are known. */
void commands__issue(struct commands *commands, uint64_t cycle, struct hpu *hpu, unsigned slot);

/* Returns the cycles in which commands of this kind moved data. */
uint64_t commands__busy(const struct commands *commands, enum hpu_command_kind kind);

#endif
