/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_ARBITER_H
#define HWMODEL_SOC_ARBITER_H

/*
 * PULP's round-robin arbiter of up to 64 inputs: a tree of choices between two, each decided by one bit of `turn`. After a grant the turn
 * moves to the next requesting input above. A choice that cannot be granted at once is kept: requests that arrive before its grant are not
 * seen. Used by commands.c, copies.c, l1.c and l2.c.
 */
#include <stdint.h>

/* The state between two grants. */
struct arbiter {
	unsigned turn;
	uint64_t pending; /* requests at the choice that waits for its grant; 0: none */
};

/* Returns the winner of the requests, which have one bit for each input and must not be 0. */
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

/* Returns the next turn: the lowest request above `turn`, else the lowest of all. */
static inline unsigned arbiter__after(uint64_t requests, unsigned turn)
{
	uint64_t above = turn < 63 ? requests >> (turn + 1) << (turn + 1) : 0;

	return (unsigned)__builtin_ctzll(above ? above : requests);
}

/* Grants one of the requests (bits below `inputs`, not 0). Returns the winner, or -1 if !is_ready: the choice then waits. */
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
