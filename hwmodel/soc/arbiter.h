/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_ARBITER_H
#define SOC_ARBITER_H

/*
 * Who of up to 64 goes first: a tree of choices between two, each made by one bit of whose turn it is (PULP's round robin
 * tree). With every grant it is the turn of the next one above that asks. While a choice cannot be granted at once it stays,
 * and who asks then is not seen.
 */
#include <stdint.h>

struct arbiter {
	unsigned turn;
	uint64_t held; /* who asked when the choice was made that waits; 0: none does */
};

/* Of those that ask, by bits; some do. */
static inline unsigned arbiter__choose(uint64_t asks, unsigned inputs, unsigned turn)
{
	unsigned low = 0, span = 1;

	while (span < inputs)
		span *= 2;
	while (span /= 2) {
		uint64_t half = (UINT64_C(1) << span) - 1;
		int first = (asks >> low & half) != 0, second = (asks >> (low + span) & half) != 0;

		if (!first || (second && turn & span))
			low += span;
	}
	return low;
}

/* Whose turn is next: the lowest above, else the lowest. */
static inline unsigned arbiter__after(uint64_t asks, unsigned turn)
{
	uint64_t above = turn < 63 ? asks >> (turn + 1) << (turn + 1) : 0;

	return (unsigned)__builtin_ctzll(above ? above : asks);
}

/* Of `inputs` some ask, by bits: who goes; -1: nobody, since who was chosen has to wait. */
static inline int arbiter__grant(struct arbiter *arbiter, unsigned inputs, uint64_t asks, int is_ready)
{
	unsigned who;

	if (arbiter->held)
		asks = arbiter->held;
	arbiter->held = is_ready ? 0 : asks;
	if (!is_ready)
		return -1;
	who = arbiter__choose(asks, inputs, arbiter->turn);
	arbiter->turn = arbiter__after(asks, arbiter->turn);
	return (int)who;
}

#endif
