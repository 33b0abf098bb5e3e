/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_COMMAND_H
#define NIC_COMMAND_H

/* A command of a task of this packet, which runs. 0, or -1: it reaches for what is not its own. */
#include "hwmodel/nic/nic.h"

int nic__command(struct pspin *nic, struct flight *flight, const struct soc_task *task, const struct hpu_command *command);
/* When what it moved left is known. */
void nic__command_known(struct pspin *nic, struct flight *flight, const struct hpu_command *command);

#endif
