/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_SCHEDULER_H
#define HWMODEL_SOC_SCHEDULER_H

/*
 * A cluster's scheduler (PsPIN 3.2.2; hwmodel/README.md, "Cluster scheduler" and "HPU driver"). It accepts tasks (runs of handlers) in
 * order, has each packet copied to a ring in L1 at once, and gives the task to the lowest-numbered idle HPU (core). It also returns the
 * tasks' feedback to the MPQ engine. Called by mpq.c, and through soc->up by hpu.c, driver.c and copies.c.
 */
#include "hwmodel/soc/state.h"

struct scheduler;

/* A task in flight, and its HER. Allocated by mpq.c; filled in by mpq.c and by the scheduler. */
struct job {
	struct soc_task task;
	struct soc_her her;
	uint32_t function;         /* 0: no handler, the task passes through without one */
	int pops;                  /* its HER is popped with it */
	int64_t most;              /* limit of tasks that a cluster may hold, including this one */
	uint32_t l1, copied_bytes; /* offset in the cluster's L1, and bytes of the packet that are copied there */
	struct job *next, *made;   /* list of free jobs; list of all jobs */
};

struct scheduler *scheduler__new(struct soc *soc, unsigned cluster); /* NULL: no memory */
void scheduler__free(struct scheduler *scheduler);

/* Has its input register room for a task in this cycle? A pushed task is visible in the next cycle. */
int scheduler__is_ready(const struct scheduler *scheduler, uint64_t cycle);
void scheduler__push(struct scheduler *scheduler, uint64_t cycle, struct job *job);

/* Returns the feedback that can be taken in this cycle; NULL if none. scheduler__take_feedback() takes it. */
struct job *scheduler__feedback(const struct scheduler *scheduler, uint64_t cycle);
void scheduler__take_feedback(struct scheduler *scheduler, uint64_t cycle);

/* Called when the copy of the cluster's next packet is done. */
void scheduler__copied(struct scheduler *scheduler, uint64_t cycle);

/*
 * Called when the HPU's task ended, with its result in hpu->result and its times in hpu->first and hpu->returned. Returns when the HPU
 * may continue: the same cycle, since its next load of the function register waits for a task. Sets hpu->feedback: commands of the next
 * task wait until then, because only one feedback can wait.
 */
uint64_t scheduler__doorbell(struct hpu *hpu, uint64_t cycle);
/* Called when more is known about the end of the HPU's commands. */
void scheduler__commands_known(struct hpu *hpu);

#endif
