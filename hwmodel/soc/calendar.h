/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_CALENDAR_H
#define SOC_CALENDAR_H

/* What is shared is asked for in order of time: a calendar that is asked out of order has been given a wrong turn. */
#include <assert.h>
#include <stdint.h>

static inline void calendar__asked(uint64_t *last, uint64_t cycle)
{
	assert(cycle >= *last);
	*last = cycle;
}

#endif
