/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_ALARM_H
#define SOC_ALARM_H

/*
 * When a part of the machine has something to do: it is called once in each cycle that it was set for. What it reads are
 * registers (latch.h), so once is enough.
 */
#include "hwmodel/soc/event.h"

struct alarm {
	uint64_t last;   /* cycle in which it was called; UINT64_MAX: never */
	uint64_t set[2]; /* of the last ones it was set for */
};

static inline void alarm__open(struct alarm *alarm)
{
	*alarm = (struct alarm){ UINT64_MAX, { UINT64_MAX, UINT64_MAX } };
}

static inline void alarm__set(struct alarm *alarm, struct events *events, uint64_t cycle, void (*happen)(void *, uint64_t, uint64_t),
			      void *arg)
{
	if (cycle == alarm->set[0] || cycle == alarm->set[1])
		return;
	alarm->set[1] = alarm->set[0];
	alarm->set[0] = cycle;
	events__add(events, cycle, happen, arg, 0);
}

/* 0: it was called in this cycle before. */
static inline int alarm__rings(struct alarm *alarm, uint64_t cycle)
{
	if (alarm->last == cycle)
		return 0;
	alarm->last = cycle;
	return 1;
}

#endif
