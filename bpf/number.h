/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_NUMBER_H
#define BPF_NUMBER_H

/*
 * Numbers the packets of messages without SLMP headers ("Flows" in <spin/message.h>). Called by message_begin.h and message.h. No packet
 * carries its position in the message, so each gets a number and an offset when it arrives, both by one compare-exchange of `next` in the
 * message's state (its MPQ):
 *
 *	63:56  the low bits of the MPQ's generation: an HPU that found the message before it ended does not change the next one
 *	55     the last packet has its number: no more numbers are given
 *	54:32  the next packet's number
 *	31:0   its offset
 *
 * The HPU that gets a number handles that packet. So the count of handled packets reaches the last number, and the message completes
 * once.
 */
#include "bpf/messages/window.h"

#define SPIN_NUMBER_ENDED_ (1ull << 55)
#define SPIN_NUMBER_MOST_  0x7fffffu
#define SPIN_NUMBER_TRIES  128 /* each failure of the exchange means that another packet of the flow got its number */

SPIN_INLINE uint32_t spin_number_of(uint64_t next)
{
	return next >> 32 & SPIN_NUMBER_MOST_;
}

/* Returns the initial value, after the first packet got number 0. */
SPIN_INLINE uint64_t spin_number_first(uint32_t generation, uint32_t bytes, uint32_t flags)
{
	return (uint64_t)(generation & 255) << 56 | (flags & SPIN_SLMP_EOM ? SPIN_NUMBER_ENDED_ : 0) | 1ull << 32 | bytes;
}

/* Returns SPIN_PARSED and sets *out to the packet's number and offset, or returns the reason to drop it. */
SPIN_GLOBAL_FN enum spin_reason spin_number_claim(uint32_t mpq, uint32_t generation, uint32_t bytes, uint32_t flags, uint64_t *out)
{
	struct spin_mpq *q = spin_mpq_at(mpq);
	uint64_t round = 0, was, now;

	if (!out)
		return SPIN_REASON_MALFORMED; /* unreachable */
	do {
		was = spin_read_once(&q->next);
		if (was >> 56 != (generation & 255) || was & SPIN_NUMBER_ENDED_)
			return SPIN_REASON_NO_MPQ; /* its last packet has just arrived on another HPU */
		if (spin_number_of(was) == SPIN_NUMBER_MOST_ || bytes > 0xffffffffu - (uint32_t)was)
			return SPIN_REASON_MALFORMED;
		if (spin_window_excludes_(q, mpq, generation, spin_number_of(was)))
			return SPIN_REASON_BEYOND_WINDOW; /* an HPU still handles a much earlier packet */
		now = was + (1ull << 32) + bytes;
		if (flags & SPIN_SLMP_EOM)
			now |= SPIN_NUMBER_ENDED_;
		if (spin_likely(spin_cmpxchg(&q->next, was, now) == was)) {
			*out = was;
			return SPIN_PARSED;
		}
	} while (spin_can_loop_(&round, SPIN_NUMBER_TRIES));
	return SPIN_REASON_BEYOND_WINDOW;
}

#endif
