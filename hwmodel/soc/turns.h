/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_TURNS_H
#define SOC_TURNS_H

/*
 * Whose turn it is: the cycle at which each of many goes on, as a tournament. Of the same cycle the lowest number comes
 * first. TURNS_NEVER: it waits.
 */
#include <stdint.h>
#include <stdlib.h>

#define TURNS_NEVER       UINT64_MAX
#define TURNS_NUMBER_BITS 10 /* a key is a cycle and, below it, a number */

struct turns {
	uint64_t *key; /* key[1] is the earliest; those of the numbers stand from key[leaves] on */
	unsigned leaves;
};

/* 0 or -1: no memory. All wait. */
static inline int turns__open(struct turns *turns, unsigned count)
{
	turns->leaves = 1;
	while (turns->leaves < count)
		turns->leaves *= 2;
	turns->key = malloc(2 * turns->leaves * sizeof(*turns->key));
	for (unsigned i = 0; turns->key && i < 2 * turns->leaves; i++)
		turns->key[i] = TURNS_NEVER;
	return turns->key ? 0 : -1;
}

static inline void turns__close(struct turns *turns)
{
	free(turns->key);
	turns->key = NULL;
}

static inline uint64_t turns__cycle(uint64_t key)
{
	return key == TURNS_NEVER ? TURNS_NEVER : key >> TURNS_NUMBER_BITS;
}

static inline unsigned turns__number(uint64_t key)
{
	return key & ((1u << TURNS_NUMBER_BITS) - 1);
}

static inline void turns__set(struct turns *turns, unsigned number, uint64_t cycle)
{
	unsigned i = turns->leaves + number;

	turns->key[i] = cycle == TURNS_NEVER ? TURNS_NEVER : cycle << TURNS_NUMBER_BITS | number;
	while (i >>= 1) {
		uint64_t a = turns->key[2 * i], b = turns->key[2 * i + 1];

		turns->key[i] = a < b ? a : b;
	}
}

/* Until which cycle, included, `number` comes before this one. */
static inline uint64_t turns__before(uint64_t key, unsigned number)
{
	return key == TURNS_NEVER ? TURNS_NEVER : turns__cycle(key) - (turns__number(key) < number);
}

/* The earliest of the others: of those with the same number but for its last `bits` bits, and of the rest. */
static inline void turns__others(const struct turns *turns, unsigned number, unsigned bits, uint64_t *same, uint64_t *rest)
{
	unsigned i = turns->leaves + number;

	*same = *rest = TURNS_NEVER;
	for (; bits; bits--, i >>= 1)
		*same = turns->key[i ^ 1] < *same ? turns->key[i ^ 1] : *same;
	for (; i > 1; i >>= 1)
		*rest = turns->key[i ^ 1] < *rest ? turns->key[i ^ 1] : *rest;
}

#endif
