/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_SHARE_H
#define HWMODEL_SOC_SHARE_H

/*
 * HPU time per program, for scheduler = fair_hpu_time: of the programs that have a task ready, the one that has had the least HPU
 * time for its weight sends the next one (OSMOSIS schedules its flows by processing time; A: the rules below).
 *
 * Time counts from an HPU taking a task to its doorbell; of tasks that run, as far as they have got; tasks that were sent and
 * wait in a cluster count as much as the program's tasks took on average. A program that has had nothing to do does not save
 * time up: when it has a task again, it has had as much as the one with the least of those that were busy.
 *
 * Tasks that were sent are not taken back, and a cluster takes them in order. So a machine of several programs gives a cluster no
 * more tasks than it has HPUs, and as many ahead as end while one gets there.
 */
#include "hwmodel/soc/state.h"

struct share {
	uint64_t weight;
	uint64_t used, ended;      /* cycles of tasks that left their HPU, and how many */
	uint64_t running, started; /* tasks on HPUs, and the sum of the cycles at which they started */
	uint64_t waiting;          /* sent, not on an HPU yet */
	uint64_t ready;            /* messages with a task */
	uint64_t lifted;           /* counted as used, for when it had nothing to do */
};

struct shares {
	struct share of[SOC_PROGRAMS_MAX];
	unsigned last; /* who had the turn */
};

/* All of weight 1. */
void shares__open(struct shares *shares);

/* One more message of the program has a task; one less has. */
void shares__ready(struct shares *shares, unsigned program, uint64_t cycle);
void shares__unready(struct shares *shares, unsigned program);

/* A task's way: sent, on an HPU from `cycle` on, and off it. */
void shares__sent(struct shares *shares, unsigned program);
void shares__starts(struct shares *shares, unsigned program, uint64_t cycle);
void shares__ends(struct shares *shares, unsigned program, uint64_t started, uint64_t cycle);

/* How many tasks of the program may wait in a cluster of so many HPUs; none while nobody knows how long they are. */
unsigned shares__ahead(const struct shares *shares, unsigned program, unsigned hpus);

/* The programs that have a task, those with the least time first; returns how many. */
unsigned shares__order(const struct shares *shares, uint64_t cycle, unsigned order[SOC_PROGRAMS_MAX]);

#endif
