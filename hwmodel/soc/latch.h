/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_LATCH_H
#define SOC_LATCH_H

/*
 * A register that counts: what is added in a cycle is seen from the next one on, in whatever order the events of that cycle
 * come. Cycles never run backwards.
 */
#include <stdint.h>

struct latch {
	uint64_t cycle;
	int64_t seen, added; /* before that cycle, and in it */
};

static inline void latch__add(struct latch *latch, uint64_t cycle, int64_t n)
{
	if (latch->cycle != cycle) {
		latch->seen += latch->added;
		latch->added = 0;
		latch->cycle = cycle;
	}
	latch->added += n;
}

static inline int64_t latch__read(const struct latch *latch, uint64_t cycle)
{
	return latch->seen + (cycle > latch->cycle ? latch->added : 0);
}

/* With what was added in this cycle. */
static inline int64_t latch__next(const struct latch *latch)
{
	return latch->seen + latch->added;
}

#endif
