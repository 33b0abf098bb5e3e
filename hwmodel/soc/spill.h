/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_SPILL_H
#define SOC_SPILL_H

/* A register between two parts that holds two jobs: what comes in one cycle goes from the next one on. */
#include "hwmodel/soc/latch.h"
#include "hwmodel/soc/mpq.h"

#define SPILL_JOBS 2u /* S */

struct spill {
	struct job *job[SPILL_JOBS];
	uint64_t at[SPILL_JOBS];
	unsigned first, count;
	struct latch held;
};

static inline int spill__is_ready(const struct spill *spill, uint64_t cycle)
{
	return latch__read(&spill->held, cycle) < SPILL_JOBS;
}

static inline void spill__push(struct spill *spill, uint64_t cycle, struct job *job)
{
	unsigned at = (spill->first + spill->count++) % SPILL_JOBS;

	spill->job[at] = job;
	spill->at[at] = cycle;
	latch__add(&spill->held, cycle, 1);
}

/* What can go; NULL: nothing. */
static inline struct job *spill__head(const struct spill *spill, uint64_t cycle)
{
	return spill->count && spill->at[spill->first] < cycle ? spill->job[spill->first] : NULL;
}

static inline void spill__pop(struct spill *spill, uint64_t cycle)
{
	spill->first = (spill->first + 1) % SPILL_JOBS;
	spill->count--;
	latch__add(&spill->held, cycle, -1);
}

#endif
