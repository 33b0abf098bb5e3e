/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_MPQ_H
#define HWMODEL_SOC_MPQ_H

/*
 * The MPQ engine (message processing queues; PsPIN 3.2.1; hwmodel/README.md, "MPQ engine"): a queue of HERs (handler execution requests,
 * one for each packet) and the state of each message. It selects one task, a run of a handler, per cycle, round robin among the messages
 * that have one. With scheduler = fair_hpu_time it first selects the program that has used the least HPU time (share.h), then a message of
 * that program. The dispatcher after it selects the task's cluster. Called by soc.c, and by the cluster schedulers through soc->up.
 */
#include "hwmodel/soc/state.h"

struct mpqs *mpqs__new(struct soc *soc); /* NULL: no memory */
void mpqs__free(struct mpqs *mpqs);
/* Returns 0 or -ENOMEM. */
int mpqs__add_program(struct mpqs *mpqs, unsigned program);

/* For the schedulers (soc->up): from `cycle` on a cluster's feedback can be taken, or its input register has room for a task. */
void mpqs__feedback(struct mpqs *mpqs, uint64_t cycle);
void mpqs__has_room(struct mpqs *mpqs, uint64_t cycle);

/* For soc.c: as soc__her(), soc__takes_her() and soc__forget() (soc.h). */
int mpqs__her(struct mpqs *mpqs, uint64_t cycle, const struct soc_her *her);
int mpqs__takes_her(struct mpqs *mpqs, uint32_t message_id);
void mpqs__forget(struct mpqs *mpqs, uint32_t message_id);

#endif
