/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_SHARE_H
#define HWMODEL_SOC_SHARE_H

/*
 * Core (HPU) time per program, for targets with scheduler = fair_hpu_time; called by mpq.c and scheduler.c. Among the programs that have a
 * task ready, the one that has used the least HPU time relative to its weight sends the next task (as OSMOSIS, a paper on
 * NICs that several tenants share, schedules flows by processing time; A: the rules below).
 *
 * A task's time counts from when an HPU takes it to its doorbell. A running task counts with its time so far; a task that was sent and
 * waits in a cluster counts as the program's mean. An idle program does not accumulate credit: when it has a task again, its time is
 * raised to that of the busy program with the least.
 *
 * Tasks that were sent are not taken back, and a cluster takes them in order. So on a machine with several programs a cluster gets only
 * as many tasks as it has HPUs, plus those that end while one is on its way.
 */
#include "hwmodel/soc/state.h"

/* The use of the HPUs by one program. */
struct share {
	uint64_t weight;
	uint64_t used, ended;      /* cycles of tasks that have ended, and their number */
	uint64_t running, started; /* tasks on HPUs, and the sum of their start cycles */
	uint64_t waiting;          /* tasks sent, not on an HPU yet */
	uint64_t ready;            /* messages with a task */
	uint64_t lifted;           /* added to the used time when it became busy again */
};

/* All programs of a machine. */
struct shares {
	struct share of[SOC_PROGRAMS_MAX];
	unsigned last; /* the program that had the last turn */
};

/* Sets all weights to 1. */
void shares__open(struct shares *shares);

/* One more message of the program has a task; or one message less. */
void shares__ready(struct shares *shares, unsigned program, uint64_t cycle);
void shares__unready(struct shares *shares, unsigned program);

/* A task is sent; is on an HPU from `cycle` on; has left it. */
void shares__sent(struct shares *shares, unsigned program);
void shares__starts(struct shares *shares, unsigned program, uint64_t cycle);
void shares__ends(struct shares *shares, unsigned program, uint64_t started, uint64_t cycle);

/* Returns how many tasks of the program may wait in a cluster with `hpus` HPUs; 0 until one has ended. */
unsigned shares__ahead(const struct shares *shares, unsigned program, unsigned hpus);

/* Stores the programs that have a task, those with the least time first. Returns their number. */
unsigned shares__order(const struct shares *shares, uint64_t cycle, unsigned order[SOC_PROGRAMS_MAX]);

#endif
