/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_BPF_WINDOW_H
#define SPIN_BPF_WINDOW_H

/*
 * Which packets of a message have come (step 11 of <spin/message.h>): each is claimed
 * by one compare-exchange of its lane (mpq.h), so it is handled once on whatever HPUs
 * it comes.
 */
#include "atomic.h"
#include "message_state.h"

enum spin_claim { SPIN_CLAIMED, SPIN_CAME_BEFORE, SPIN_BEYOND, SPIN_ENDED };

/* A lane's upper half for packet 32 * number. */
SPIN_INLINE uint32_t spin_lane_tag_(uint32_t generation, uint32_t number)
{
	return generation << 27 | number;
}

SPIN_INLINE uint64_t *spin_lane_(struct spin_mpq *q, uint32_t number)
{
	return &q->lane[number & (SPIN_LANES - 1)];
}

/* Has the lane gone on to later packets, so that all of `tag` have come? */
SPIN_INLINE _Bool spin_lane_is_past_(uint32_t have, uint32_t tag)
{
	return have >> 27 == tag >> 27 && have > tag;
}

/* The lowest missing packet, from the one that was so last. Not kept: see spin_window_advance(). */
SPIN_OUTLINE uint32_t spin_window_lowest(uint32_t mpq, uint32_t generation)
{
	const struct spin_mpq *q = spin_mpq_at(mpq);
	uint32_t lowest = spin_peek(&q->lowest);
	uint64_t round = 0;

	while (spin_can_loop_(&round, 2 * SPIN_LANES)) {
		uint32_t number = lowest >> 5, tag = spin_lane_tag_(generation, number);
		uint64_t lane = spin_peek(&q->lane[number & (SPIN_LANES - 1)]);
		uint32_t missing;

		if (spin_lane_is_past_(lane >> 32, tag)) {
			lowest = (number + 1) << 5;
			continue;
		}
		if (lane >> 32 != tag)
			break;
		missing = ~(uint32_t)lane & (0xffffffffu << (lowest & 31));
		if (missing) {
			lowest = (number << 5) + spin_bit_number(missing & -missing);
			break;
		}
		lowest = (number + 1) << 5;
	}
	return lowest;
}

/* The same, to begin with next time. Two at once: the lower one is as right, only older. */
SPIN_INLINE uint32_t spin_window_advance(uint32_t mpq, uint32_t generation)
{
	uint32_t lowest = spin_window_lowest(mpq, generation);

	spin_poke(&spin_mpq_at(mpq)->lowest, lowest);
	return lowest;
}

SPIN_OUTLINE enum spin_claim spin_window_claim(uint32_t mpq, uint32_t generation, uint32_t packet)
{
	struct spin_mpq *q = spin_mpq_at(mpq);
	uint32_t tag = spin_lane_tag_(generation, packet >> 5), bit = 1u << (packet & 31);
	uint64_t *lane = spin_lane_(q, packet >> 5);
	uint32_t lowest = spin_peek(&q->lowest);
	uint64_t round = 0;

	if (spin_unlikely(packet > lowest && packet - lowest > SPIN_WINDOW)) {
		lowest = spin_window_advance(mpq, generation);
		if (packet > lowest && packet - lowest > SPIN_WINDOW)
			return spin_rare(SPIN_BEYOND);
	}
	/* each time the exchange fails another of the lane's 32 packets has come */
	do {
		uint64_t was = spin_peek(lane), now = (uint64_t)tag << 32 | bit;

		if (spin_likely(was >> 32 == tag)) {
			if (spin_unlikely(was & bit))
				return spin_rare(SPIN_CAME_BEFORE);
			now = was | bit;
		} else if (spin_lane_is_past_(was >> 32, tag)) {
			return spin_rare(SPIN_CAME_BEFORE);
		} else if ((spin_load32(&q->generation) & 0xffff) != generation) {
			return spin_rare(SPIN_ENDED); /* the lane may be another message's */
		}
		if (spin_likely(spin_swap_if(lane, was, now) == was))
			return SPIN_CLAIMED;
	} while (spin_can_loop_(&round, 2 * 32));
	return spin_rare(SPIN_BEYOND); /* cannot be */
}

/* Takes a claim back: the MPQ had become another message's meanwhile. */
SPIN_OUTLINE int spin_window_unclaim(uint32_t mpq, uint32_t generation, uint32_t packet)
{
	uint64_t *lane = spin_lane_(spin_mpq_at(mpq), packet >> 5), was, round = 0;

	do {
		was = spin_peek(lane);
		if (was >> 32 != spin_lane_tag_(generation, packet >> 5))
			break;
	} while (spin_swap_if(lane, was, was & ~(uint64_t)(1u << (packet & 31))) != was && spin_can_loop_(&round, 2 * 32));
	return 0;
}

/* Has a packet behind this one come? */
SPIN_OUTLINE _Bool spin_window_beyond(uint32_t mpq, uint32_t generation, uint32_t packet)
{
	const struct spin_mpq *q = spin_mpq_at(mpq);
	uint32_t tag = spin_lane_tag_(generation, packet >> 5);
	uint32_t found = 0;
	uint64_t round = 0;

	for (uint32_t i = 0, have; i < SPIN_LANES && spin_can_loop_(&round, SPIN_LANES); i = spin_blur(i + 1)) {
		uint64_t lane = spin_peek(&q->lane[i]);
		uint32_t bits = (uint32_t)lane;

		have = lane >> 32;

		if (have == tag)
			bits &= 0xfffffffeu << (packet & 31);
		else if (!spin_lane_is_past_(have, tag))
			bits = 0;
		if (bits) {
			found = 1;
			break;
		}
	}
	return found;
}

/* For a new message; the lanes of older ones say so by their generation, until that begins anew. */
SPIN_INLINE void spin_window_clear(struct spin_mpq *q, uint32_t generation)
{
	q->lowest = 0;
	if (generation & 31)
		return;
	for (uint32_t i = 0; i < SPIN_LANES; i++)
		spin_poke(&q->lane[i], 0);
}

#endif
