/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_EVENT_H
#define HWMODEL_SOC_EVENT_H

/*
 * Building blocks of the SoC's components: events at cycles, wake-ups, and registers that change at the end of a cycle. Events of one cycle
 * happen in the order in which they were added. Knows no component. Included by state.h, and so by all components.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* A call of happen() that is to be made at a cycle. */
struct event {
	uint64_t cycle, order;
	void (*happen)(void *arg, uint64_t cycle, uint64_t what);
	void *arg;
	uint64_t what;
};

/* The pending events, as a heap. */
struct events {
	struct event *heap;
	size_t count, room;
	uint64_t added;
	int incomplete; /* out of memory: an event is missing, and results must not be used */
};

void events__free(struct events *events);
/* Calls happen(arg, cycle, what) at that cycle. Out of memory: sets `incomplete`. */
void events__add(struct events *events, uint64_t cycle, void (*happen)(void *, uint64_t, uint64_t), void *arg, uint64_t what);
/* Returns the cycle of the next event; UINT64_MAX if none. */
uint64_t events__next(const struct events *events);
/* Removes the next event and calls its handler. */
void events__run_next(struct events *events);

/*
 * A component's wake-up. Its handler is called once per cycle, however often it is set for that cycle. Once is enough, since a
 * component reads only registers of others.
 */

struct wakeup {
	uint64_t last;   /* cycle of the last call; UINT64_MAX: none yet */
	uint64_t set[2]; /* the last two cycles for which it was set */
};

static inline void wakeup__init(struct wakeup *wakeup)
{
	*wakeup = (struct wakeup){ UINT64_MAX, { UINT64_MAX, UINT64_MAX } };
}

static inline void wakeup__set(struct wakeup *wakeup, struct events *events, uint64_t cycle, void (*happen)(void *, uint64_t, uint64_t),
			       void *arg)
{
	if (cycle == wakeup->set[0] || cycle == wakeup->set[1])
		return;
	wakeup->set[1] = wakeup->set[0];
	wakeup->set[0] = cycle;
	events__add(events, cycle, happen, arg, 0);
}

/* Returns 0 if the component was already called in this cycle: its handler then does nothing. */
static inline int wakeup__is_first(struct wakeup *wakeup, uint64_t cycle)
{
	if (wakeup->last == cycle)
		return 0;
	wakeup->last = cycle;
	return 1;
}

/*
 * A register that counts. An addition is visible from the next cycle on, so the order of the events of one cycle does not matter.
 * Cycles must not decrease.
 */

struct reg {
	uint64_t cycle;
	int64_t seen, added; /* added before `cycle`, and in it */
};

static inline void reg__add(struct reg *reg, uint64_t cycle, int64_t n)
{
	if (reg->cycle != cycle) {
		reg->seen += reg->added;
		reg->added = 0;
		reg->cycle = cycle;
	}
	reg->added += n;
}

static inline int64_t reg__read(const struct reg *reg, uint64_t cycle)
{
	return reg->seen + (cycle > reg->cycle ? reg->added : 0);
}

/* Returns the value in the next cycle, including additions of this cycle. */
static inline int64_t reg__next(const struct reg *reg)
{
	return reg->seen + reg->added;
}

/* Shared components must get their requests in order of time. Asserts that `cycle` is not before *last, and stores it there. */
static inline void assert_in_order(uint64_t *last, uint64_t cycle)
{
	assert(cycle >= *last);
	*last = cycle;
}

#endif
