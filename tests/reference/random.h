/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

/* Random numbers, the same for the same seed (xorshift64*). */
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline void random_start(struct random *r, uint64_t seed)
{
	r->state = (seed + 1) * 0x9e3779b97f4a7c15ull;
	r->state ^= r->state >> 29;
	if (!r->state)
		r->state = 1;
}

static inline uint32_t random_below(struct random *r, uint32_t n)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return (uint32_t)((r->state * 0x2545f4914f6cdd1dull >> 32) * n >> 32);
}

static inline int random_one_in(struct random *r, uint32_t n)
{
	return !random_below(r, n);
}

#endif
