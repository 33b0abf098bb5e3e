/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_MPQ_H
#define SOC_MPQ_H

/*
 * The MPQ engine (PsPIN 3.2.1; hwmodel/README.md, "MPQ engine"): a queue of HERs per message, the message's state, and of the
 * messages that have a task, round robin, one task per cycle; with scheduler = fair_hpu_time first of all the program that
 * has had least of the HPUs (share.h), and of its messages round robin. Behind it the dispatcher: a task's cluster.
 */
#include "hwmodel/soc/soc.h"

struct job;
struct shares;

struct mpqs *mpqs__new(struct soc *soc); /* NULL: no memory */
void mpqs__free(struct mpqs *mpqs);
/* 0 or -ENOMEM. */
int mpqs__add_program(struct mpqs *mpqs, unsigned program);

/* What hangs on a message's HERs: a task on its way. Kept by mpq.c, filled by it and the scheduler. */
struct job {
	struct soc_task task;
	struct soc_her her;
	uint32_t function;         /* 0: no handler, the task goes its way without one */
	int pops;                  /* its HER ends with it */
	int64_t most;              /* tasks that a cluster holds with it, at most */
	uint32_t l1, copied_bytes; /* offset in the cluster's L1, and how many bytes of the packet are copied there */
	struct job *next, *made;   /* free ones; all */
};

/* For the schedulers: a cluster's feedback can be taken from `cycle` on, and its spill register has room for a task. */
void mpqs__feedback(struct mpqs *mpqs, uint64_t cycle);
void mpqs__has_room(struct mpqs *mpqs, uint64_t cycle);

/* The port through which packets are copied. */
struct copies *mpqs__copies(struct mpqs *mpqs);
/* Who has had how much of the HPUs; the schedulers report to it. */
struct shares *mpqs__shares(struct mpqs *mpqs);

#endif
