/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_RANDOM_H
#define TESTS_COMMON_RANDOM_H

/*
 * Random numbers, a sequence determined by the seed (splitmix64). Used by tests and benchmarks in place of random(3), so that a failure can
 * be repeated.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((random_next(state) >> 32) * n >> 32);
}

static inline void random_fill(uint64_t *state, void *to, size_t bytes)
{
	uint8_t *at = to;

	for (; bytes >= 8; bytes -= 8, at += 8) {
		uint64_t v = random_next(state);

		memcpy(at, &v, 8);
	}
	for (uint64_t v = random_next(state); bytes; bytes--, v >>= 8)
		*at++ = (uint8_t)v;
}

#endif
