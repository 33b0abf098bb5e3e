/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_HER_QUEUES_H
#define SOC_HER_QUEUES_H

#include "hwmodel/soc/state.h"

/* The cells in which HERs wait: each message has some of its own, and all share others (hwmodel/README.md, "MPQ engine"). */

struct her_fifo;

struct her_fifo *her_fifo__new(const struct pspin_target *target, uint32_t messages); /* NULL: no memory */
void her_fifo__free(struct her_fifo *fifo);

/* If not, her_fifo__pop() will tell. */
int her_fifo__has_room(struct her_fifo *fifo, uint32_t message);
/* A HER that will arrive; copied. 0, -ENOSPC or -ENOMEM. */
int her_fifo__add(struct her_fifo *fifo, const struct soc_her *her);
/* The message's next one of them arrives. */
const struct soc_her *her_fifo__arrived(struct her_fifo *fifo, uint32_t message, uint64_t cycle);

/* The message's first one, and when it arrived. */
const struct soc_her *her_fifo__first(const struct her_fifo *fifo, uint32_t message, uint64_t *cycle);
/* It goes. 1: somebody had been told that there was no room. */
int her_fifo__pop(struct her_fifo *fifo, uint32_t message);

/* The messages that have a task, and which of them has its turn: round robin over their ids. */

#define RR_SET_NONE UINT32_MAX

struct rr_set;

struct rr_set *rr_set__new(uint32_t messages); /* a multiple of 4096; NULL: no memory */
void rr_set__free(struct rr_set *set);

/* Seen from that cycle on, which is not before the last one's; it is none of them yet. */
void rr_set__add(struct rr_set *set, uint32_t message, uint64_t seen);
/* It has no task any more. */
void rr_set__remove(struct rr_set *set, uint32_t message);
int rr_set__has(const struct rr_set *set, uint32_t message);

/*
 * Whose turn it is in this cycle, settled in the one before: among those that were seen then, if any was. RR_SET_NONE: nobody
 * has a task. P: 4 messages of the same home, headers 2 apart: m32 x3, m36, m32, m36, m40, m44; all clusters at 20: 0, 8, 9, 10,
 * 11, 0.
 */
uint32_t rr_set__turn(struct rr_set *set, uint64_t cycle);

#endif
