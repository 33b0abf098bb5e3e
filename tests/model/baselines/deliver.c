/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Hand-written baseline of tests/handlers/messages/deliver.c: the minimum that this takes on the HPU. */
#include "tests/model/baselines/pspin.h"

static inline void deliver(struct handler_args *args)
{
	struct task *task = args->task;

	deposit(task, task->pkt_mem);
}

BASELINE(deliver)
