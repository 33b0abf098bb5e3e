/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_SCHEDULER_H
#define SOC_SCHEDULER_H

/*
 * A cluster's scheduler (PsPIN 3.2.2; hwmodel/README.md, "Cluster scheduler" and "HPU driver"): tasks in order, each packet
 * copied to a ring of L1 at once, then given to the lowest-numbered idle HPU; and the way of their feedback back to the MPQ
 * engine.
 */
#include "hwmodel/soc/mpq.h"

struct scheduler;
struct dma;

struct scheduler *scheduler__new(struct soc *soc, unsigned cluster); /* NULL: no memory */
void scheduler__free(struct scheduler *scheduler);

/* Has its spill register room for a task in this cycle? It is there in the next. */
int scheduler__is_ready(const struct scheduler *scheduler, uint64_t cycle);
void scheduler__push(struct scheduler *scheduler, uint64_t cycle, struct job *job);

/* The feedback that comes out in this cycle; NULL: none. Taken out by the second. */
struct job *scheduler__feedback(const struct scheduler *scheduler, uint64_t cycle);
void scheduler__take_feedback(struct scheduler *scheduler, uint64_t cycle);

/* The cluster's DMA (dma.h). */
struct dma *scheduler__dma(struct scheduler *scheduler);

/* A packet's copy is done at the cycle; in order. */
void scheduler__copied(struct scheduler *scheduler, uint64_t cycle);

#endif
