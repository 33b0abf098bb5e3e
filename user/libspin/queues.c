/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Receive queues as HPUs (SPIN_HPUS_QUEUE): a kernel thread polls each, until the last context that wants it has gone. */
#include <errno.h>
#include <string.h>

#include "user/libspin/hpus.h"
#include "kernel/threaded.h"

int queues__count(const struct spin_nic *nic, uint32_t *count)
{
	int threaded, err = kernel_threaded__read(nic->ifindex, count, &threaded);

	if (err)
		return spin_fail(err, "the receive queues of %s cannot be told: %s", nic->name, strerror(-err));
	return 0;
}

int queues__thread(struct spin_nic *nic)
{
	uint32_t queues;
	int threaded, err;

	if (nic->used == SPIN_MODE_GENERIC)
		return spin_fail(-EOPNOTSUPP, "%s runs handlers in generic mode, behind its queues: take CPUs as HPUs", nic->name);
	if (nic->queue_contexts++)
		return 0;
	err = kernel_threaded__read(nic->ifindex, &queues, &threaded);
	if (!err && threaded <= 0)
		err = kernel_threaded__begin(nic->ifindex, &nic->threads);
	if (err) {
		nic->queue_contexts--;
		return spin_fail(err,
				 "%s gets no threads for its queues (%s): do `echo 1 >/sys/class/net/%s/threaded`, "
				 "or take CPUs as HPUs",
				 nic->name, strerror(-err), nic->name);
	}
	nic->threads_are_ours = !threaded;
	return 0;
}

void queues__unthread(struct spin_nic *nic)
{
	if (--nic->queue_contexts || !nic->threads_are_ours)
		return;
	kernel_threaded__end(&nic->threads);
	nic->threads_are_ours = 0;
}
