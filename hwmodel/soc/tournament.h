/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_TOURNAMENT_H
#define HWMODEL_SOC_TOURNAMENT_H

/*
 * A tournament tree: finds, among many numbered entries with a cycle each, the one with the earliest cycle, and the lowest number among
 * equals. It holds at most 1,024 entries (TOURNAMENT_NUMBER_BITS). An entry with no known cycle has TOURNAMENT_NEVER. A change of one entry
 * is O(log n); the winner is key[1]. Used by soc.c, lookahead.c and threads.c to find the core that runs next.
 */
#include <stdint.h>
#include <stdlib.h>

#define TOURNAMENT_NEVER       UINT64_MAX
#define TOURNAMENT_NUMBER_BITS 10 /* a key is a cycle, followed by a number of this many bits */

/* A binary tree in an array; each inner node has the smaller key of its two children. */
struct tournament {
	uint64_t *key; /* key[1] is the earliest; the entries' keys begin at key[leaves] */
	unsigned leaves;
};

/* Initializes all entries to TOURNAMENT_NEVER. Returns 0, or -1 if out of memory. */
static inline int tournament__open(struct tournament *tree, unsigned count)
{
	tree->leaves = 1;
	while (tree->leaves < count)
		tree->leaves *= 2;
	tree->key = malloc(2 * tree->leaves * sizeof(*tree->key));
	for (unsigned i = 0; tree->key && i < 2 * tree->leaves; i++)
		tree->key[i] = TOURNAMENT_NEVER;
	return tree->key ? 0 : -1;
}

static inline void tournament__close(struct tournament *tree)
{
	free(tree->key);
	tree->key = NULL;
}

static inline uint64_t tournament__cycle(uint64_t key)
{
	return key == TOURNAMENT_NEVER ? TOURNAMENT_NEVER : key >> TOURNAMENT_NUMBER_BITS;
}

static inline unsigned tournament__number(uint64_t key)
{
	return key & ((1u << TOURNAMENT_NUMBER_BITS) - 1);
}

static inline void tournament__set(struct tournament *tree, unsigned number, uint64_t cycle)
{
	unsigned i = tree->leaves + number;

	tree->key[i] = cycle == TOURNAMENT_NEVER ? TOURNAMENT_NEVER : cycle << TOURNAMENT_NUMBER_BITS | number;
	while (i >>= 1) {
		uint64_t a = tree->key[2 * i], b = tree->key[2 * i + 1];

		tree->key[i] = a < b ? a : b;
	}
}

/* Returns the last cycle at which `number` comes before this key. */
static inline uint64_t tournament__before(uint64_t key, unsigned number)
{
	return key == TOURNAMENT_NEVER ? TOURNAMENT_NEVER : tournament__cycle(key) - (tournament__number(key) < number);
}

/*
 * Returns the earliest keys of the other entries: *same_group among those whose numbers differ only in the last `bits` bits, *other_groups
 * among all others.
 */
static inline void tournament__others(const struct tournament *tree, unsigned number, unsigned bits, uint64_t *same_group,
				      uint64_t *other_groups)
{
	unsigned i = tree->leaves + number;

	*same_group = *other_groups = TOURNAMENT_NEVER;
	for (; bits; bits--, i >>= 1)
		*same_group = tree->key[i ^ 1] < *same_group ? tree->key[i ^ 1] : *same_group;
	for (; i > 1; i >>= 1)
		*other_groups = tree->key[i ^ 1] < *other_groups ? tree->key[i ^ 1] : *other_groups;
}

#endif
