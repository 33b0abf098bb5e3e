/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_SCHEDULER_H
#define HWMODEL_SOC_SCHEDULER_H

/*
 * A cluster's scheduler (PsPIN 3.2.2; hwmodel/README.md, "Cluster scheduler" and "HPU driver"). It takes tasks in order, has each
 * packet copied to a ring in L1 at once, and gives the task to the lowest-numbered idle HPU. It also sends the tasks' feedback back
 * to the MPQ engine.
 */
#include "hwmodel/soc/state.h"

struct scheduler;

/* A task on its way, and its HER. Allocated by mpq.c, filled by it and by the scheduler. */
struct job {
	struct soc_task task;
	struct soc_her her;
	uint32_t function;         /* 0: no handler, the task goes its way without one */
	int pops;                  /* its HER ends with it */
	int64_t most;              /* tasks that a cluster holds with it, at most */
	uint32_t l1, copied_bytes; /* offset in the cluster's L1, and how many bytes of the packet are copied there */
	struct job *next, *made;   /* free ones; all */
};

struct scheduler *scheduler__new(struct soc *soc, unsigned cluster); /* NULL: no memory */
void scheduler__free(struct scheduler *scheduler);

/* Has its input register room for a task in this cycle? A task that is pushed is seen in the next cycle. */
int scheduler__is_ready(const struct scheduler *scheduler, uint64_t cycle);
void scheduler__push(struct scheduler *scheduler, uint64_t cycle, struct job *job);

/* The feedback that can be taken in this cycle; NULL: none. The second function takes it. */
struct job *scheduler__feedback(const struct scheduler *scheduler, uint64_t cycle);
void scheduler__take_feedback(struct scheduler *scheduler, uint64_t cycle);

/* The copy of the cluster's next packet is done at the cycle. */
void scheduler__copied(struct scheduler *scheduler, uint64_t cycle);

/*
 * The HPU's task ended; its result is in hpu->result, its times in hpu->first and hpu->returned. Returns when the HPU may go on: the
 * cycle itself, since its next load of the function register waits for a task. hpu->feedback: until then commands of the next task
 * wait, because only one feedback can wait.
 */
uint64_t scheduler__doorbell(struct hpu *hpu, uint64_t cycle);
/* More is known of when the HPU's commands are done. */
void scheduler__commands_known(struct hpu *hpu);

#endif
