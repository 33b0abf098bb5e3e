/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_COMMAND_H
#define HWMODEL_NIC_COMMAND_H

/*
 * Executes the commands that handlers issue (send, transfers to and from host memory) on the state of the modelled NIC. Called by
 * her_queue.c, through which the SoC reports what a packet's tasks (runs of handlers) do.
 */
#include "hwmodel/nic/nic.h"

/* Executes a command of the packet's running task. Returns 0, or -1 if it names memory that does not belong to the task. */
int nic__command(struct pspin *nic, struct inflight *inflight, const struct soc_task *task, const struct hpu_command *command);
/* Called when the time at which the command's data leaves is known. */
void nic__command_known(struct pspin *nic, struct inflight *inflight, const struct hpu_command *command);

/* Called when a task has ended: writes the packet's headers back to L2, for its next task. */
void headers__put_back(struct pspin *nic, const struct inflight *inflight, const struct soc_task *task);

#endif
