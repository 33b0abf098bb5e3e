/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_COMMANDS_H
#define SOC_COMMANDS_H

/*
 * The way of commands from HPUs to the interfaces (commands.c), by events: each HPU's queue; in each cycle one of a cluster
 * goes on to the cluster's register, which holds two; and one of the clusters whose first command there is for it goes on to
 * an interface that has a place. So a command also waits for those before it that go elsewhere. When it gets through is
 * known only then.
 */
#include "hwmodel/soc/state.h"

struct commands;

struct commands *commands__new(struct soc *soc);
void commands__free(struct commands *commands);

/* hpu->commands[slot] is issued at this cycle; command__known() when its times are known, which is after the cycle. */
void commands__issue(struct commands *commands, uint64_t cycle, struct hpu *hpu, unsigned slot);

/* Cycles in which each interface moved data. */
uint64_t commands__busy(const struct commands *commands, enum hpu_command_kind kind);

#endif
