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
	uint64_t pending; /* who asked when the choice was made that waits; 0: none does */
};

/* Of those that ask, by bits; some do. */
static inline unsigned arbiter__choose(uint64_t requests, unsigned inputs, unsigned turn)
{
	unsigned low = 0, span = 1;

	while (span < inputs)
		span *= 2;
	while (span /= 2) {
		uint64_t half = (UINT64_C(1) << span) - 1;
		int first = (requests >> low & half) != 0, second = (requests >> (low + span) & half) != 0;

		if (!first || (second && turn & span))
			low += span;
	}
	return low;
}

/* Whose turn is next: the lowest above, else the lowest. */
static inline unsigned arbiter__after(uint64_t requests, unsigned turn)
{
	uint64_t above = turn < 63 ? requests >> (turn + 1) << (turn + 1) : 0;

	return (unsigned)__builtin_ctzll(above ? above : requests);
}

/* Of `inputs` some ask, by bits: who goes; -1: nobody, since who was chosen has to wait. */
static inline int arbiter__grant(struct arbiter *arbiter, unsigned inputs, uint64_t requests, int is_ready)
{
	unsigned winner;

	if (arbiter->pending)
		requests = arbiter->pending;
	arbiter->pending = is_ready ? 0 : requests;
	if (!is_ready)
		return -1;
	winner = arbiter__choose(requests, inputs, arbiter->turn);
	arbiter->turn = arbiter__after(requests, arbiter->turn);
	return (int)winner;
}

#endif
