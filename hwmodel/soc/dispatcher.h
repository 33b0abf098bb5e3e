/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_DISPATCHER_H
#define SOC_DISPATCHER_H

/*
 * Which cluster a task goes to (hwmodel/README.md, "Dispatcher"): its message's home if that holds fewer tasks than
 * it may and takes one now; else the one of those that take one which holds the fewest, the lowest number on a tie. If that
 * one is full, too, the task waits. How many a cluster may hold the task says: one for each HPU and each place to wait, or less
 * (share.h).
 */
#include "hwmodel/soc/mpq.h"

struct dispatcher;

struct dispatcher *dispatcher__new(struct soc *soc); /* NULL: no memory */
void dispatcher__free(struct dispatcher *dispatcher);

/* Not while it is busy. 1: the job is on its way; 0: it waits. */
int dispatcher__take(struct dispatcher *dispatcher, uint64_t cycle, struct job *job);
/* Is there a cluster that holds less than so many tasks, with those that were sent in this cycle? */
int dispatcher__has_room(const struct dispatcher *dispatcher, int64_t most);
/* Is one taken that waits for its cluster? It goes there, if it can. 1: it did; the next is looked at a cycle later. */
int dispatcher__is_busy(const struct dispatcher *dispatcher);
int dispatcher__go_on(struct dispatcher *dispatcher, uint64_t cycle);
/* A task of the cluster was fed back. */
void dispatcher__ended(struct dispatcher *dispatcher, uint64_t cycle, unsigned cluster);

#endif
