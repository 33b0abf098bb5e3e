/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_HER_QUEUES_H
#define HWMODEL_SOC_HER_QUEUES_H

/*
 * The two queues of the MPQ engine, which schedules the handlers of messages: HERs (handler execution requests, one for each packet) by
 * message, and the set of messages that have a task. Called by mpq.c alone.
 */
#include "hwmodel/soc/state.h"

/* The cells in which HERs wait: each message has cells of its own, and others are shared (hwmodel/README.md, "MPQ engine"). */

struct her_fifo;

struct her_fifo *her_fifo__new(const struct pspin_target *target, uint32_t messages); /* NULL: no memory */
void her_fifo__free(struct her_fifo *fifo);

/* Is there room for one more HER of the message? If not, the next her_fifo__pop() returns 1. */
int her_fifo__has_room(struct her_fifo *fifo, uint32_t message);
/* Adds a copy of a HER that will arrive later. Returns 0, -ENOSPC or -ENOMEM. */
int her_fifo__add(struct her_fifo *fifo, const struct soc_her *her);
/* Marks the message's next HER as arrived at this cycle, and returns it. */
const struct soc_her *her_fifo__arrived(struct her_fifo *fifo, uint32_t message, uint64_t cycle);

/* Returns the message's first HER, and when it arrived. */
const struct soc_her *her_fifo__first(const struct her_fifo *fifo, uint32_t message, uint64_t *cycle);
/* Removes the first HER. Returns 1 if her_fifo__has_room() has returned 0 since the last call. */
int her_fifo__pop(struct her_fifo *fifo, uint32_t message);

/* The set of messages that have a task, served round robin by id. Adding and removing are O(1), choosing is O(64). */

#define RR_SET_NONE UINT32_MAX

struct rr_set;

struct rr_set *rr_set__new(uint32_t messages); /* a multiple of 4096; NULL: no memory */
void rr_set__free(struct rr_set *set);

/* Adds a message that is not in the set. It is visible from cycle `seen` on, which must not decrease between calls. */
void rr_set__add(struct rr_set *set, uint32_t message, uint64_t seen);
/* Removes a message. */
void rr_set__remove(struct rr_set *set, uint32_t message);
int rr_set__has(const struct rr_set *set, uint32_t message);

/*
 * Returns the message to serve in this cycle. It is chosen in the cycle before, among the messages visible then, if there were any.
 * RR_SET_NONE: none has a task. P, the messages in the order in which they are served: 4 messages of the same home whose headers are 2
 * cycles apart: 32, 32, 32, 36, 32, 36, 40, 44; all clusters hold 20 tasks: 0, 8, 9, 10, 11, 0.
 */
uint32_t rr_set__turn(struct rr_set *set, uint64_t cycle);

#endif
