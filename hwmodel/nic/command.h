/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_COMMAND_H
#define HWMODEL_NIC_COMMAND_H

#include "hwmodel/nic/nic.h"

/* A command of a task of this packet, which runs. 0, or -1: it reaches for what is not its own. */

int nic__command(struct pspin *nic, struct inflight *inflight, const struct soc_task *task, const struct hpu_command *command);
/* When what it moved left is known. */
void nic__command_known(struct pspin *nic, struct inflight *inflight, const struct hpu_command *command);

/* A task has ended: what the next task of the packet is to find in its headers is written back to L2. */
void headers__put_back(struct pspin *nic, const struct inflight *inflight, const struct soc_task *task);

#endif
