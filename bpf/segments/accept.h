/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ACCEPT_H
#define BPF_ACCEPT_H

/*
 * Which bytes of a TCP connection have been accepted: all up to `next`, and up to SPIN_SEGMENT_RANGES ranges beyond it (steps 10 and 11 of
 * <spin/segment.h>). Called by segment.h before and after a segment's handler. Sequence numbers are compared by the sign of their
 * difference. The loops are unrolled, without branches on what a range contains, so that the verifier follows one path.
 */
#include "bpf/segments/connection.h"

#define SPIN_ACCEPT_TRIES 16u

/* Results of spin_accept(). */
enum spin_accepted {
	SPIN_ACCEPTED,
	SPIN_ACCEPTED_LAST, /* all bytes up to a FIN have been accepted */
	SPIN_NOT_ACCEPTED,  /* no room for another range, or other HPUs hold the lock for too long */
};

/* Returns 1 if a is after b. */
SPIN_INLINE uint32_t spin_after_(uint32_t a, uint32_t b)
{
	return spin_barrier_var_(b - a) >> 31;
}

/* Returns 1 if the range is in use and overlaps or touches [from, to). */
SPIN_INLINE uint32_t spin_range_joins_(const uint32_t *range, uint32_t from, uint32_t to)
{
	return spin_after_(range[1], range[0]) & (spin_after_(range[0], to) ^ 1) & (spin_after_(from, range[1]) ^ 1);
}

/* Returns 1 if these bytes could be recorded now. */
SPIN_INLINE _Bool spin_accept_has_room(const struct spin_connection *c, uint32_t start, uint32_t end)
{
	uint32_t room = 0;

	if (spin_likely(!spin_after_(start, spin_read_once(&c->next))))
		return 1;
	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_SEGMENT_RANGES; i++) {
		const uint32_t range[2] = { spin_read_once(&c->range[i][0]), spin_read_once(&c->range[i][1]) };

		room |= (spin_after_(range[1], range[0]) ^ 1) | spin_range_joins_(range, start, end);
	}
	return room;
}

SPIN_INLINE _Bool spin_accept_lock_(struct spin_connection *c)
{
	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_ACCEPT_TRIES; i++)
		if (spin_likely(!spin_xchg(&c->lock, 1)))
			return 1;
	return 0;
}

/* Joins the ranges that [*from, *to) overlaps or touches into it, and frees them. */
SPIN_INLINE void spin_accept_join_(struct spin_connection *c, uint32_t *from, uint32_t *to)
{
	const uint32_t start = *from, end = *to;

	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_SEGMENT_RANGES; i++) {
		uint32_t *range = c->range[i];
		const uint32_t joins = spin_range_joins_(range, start, end);

		*from = spin_select_(joins & spin_after_(*from, range[0]), range[0], *from);
		*to = spin_select_(joins & spin_after_(range[1], *to), range[1], *to);
		range[1] = spin_select_(joins, range[0], range[1]);
	}
}

/* Records a range beyond a gap. Returns 0 if all ranges are in use. */
SPIN_INLINE _Bool spin_accept_range_(struct spin_connection *c, uint32_t from, uint32_t to)
{
	uint32_t left = 1;

	(void)spin_fetch_or(&c->flags, SPIN_CONNECTION_GAPS);
	spin_accept_join_(c, &from, &to);
	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_SEGMENT_RANGES; i++) {
		uint32_t *range = c->range[i];
		const uint32_t takes = left & (spin_after_(range[1], range[0]) ^ 1);

		range[0] = spin_select_(takes, from, range[0]);
		range[1] = spin_select_(takes, to, range[1]);
		left &= takes ^ 1;
	}
	return !left;
}

/* Records that the bytes from start to end, and perhaps the FIN, were accepted. Returns SPIN_ACCEPTED_LAST if nothing is missing now. */
SPIN_INLINE uint32_t spin_accept_(struct spin_connection *c, uint32_t start, uint32_t end, uint32_t fin)
{
	uint32_t result = SPIN_ACCEPTED, from, to = end;

	if (spin_unlikely(!spin_accept_lock_(c)))
		return SPIN_NOT_ACCEPTED;
	if (start == end) {
		/* no payload: nothing to record but the FIN */
	} else if (spin_unlikely(spin_after_(start, c->next))) {
		if (!spin_accept_range_(c, start, end))
			result = SPIN_NOT_ACCEPTED;
	} else if (spin_likely(spin_after_(end, c->next))) {
		from = c->next;
		if (spin_unlikely(spin_read_once(&c->flags) & SPIN_CONNECTION_GAPS))
			spin_accept_join_(c, &from, &to);
		c->bytes += to - c->next;
		spin_write_once(&c->next, to);
	}
	if (result == SPIN_ACCEPTED) {
		if (spin_unlikely(fin) && !spin_after_(c->next, end)) {
			c->fin = end;
			(void)spin_fetch_or(&c->flags, SPIN_CONNECTION_FIN);
		}
		if (spin_unlikely(spin_read_once(&c->flags) & SPIN_CONNECTION_FIN)) {
			if (c->next == c->fin)
				result = SPIN_ACCEPTED_LAST;
			else if (spin_after_(c->next, c->fin)) /* it was forged */
				(void)spin_fetch_and(&c->flags, ~(uint32_t)SPIN_CONNECTION_FIN);
		}
	}
	spin_store32(&c->lock, 0);
	return result;
}

/* The same for a linear frame. A global function, so that the verifier follows it once. */
SPIN_NOINLINE uint32_t spin_accept_direct_(uint32_t number, uint32_t start, uint32_t end, uint32_t fin)
{
	if (spin_handlers_.delivery != SPIN_DELIVER_SEGMENTS)
		return SPIN_NOT_ACCEPTED; /* unreachable */
	return spin_accept_(spin_connection_at(number), start, end, fin);
}

/* Accepts a segment's bytes, from start to end, and its FIN. Returns enum spin_accepted. */
SPIN_INLINE uint32_t spin_accept(const struct spin_view *view, uint32_t number, uint32_t start, uint32_t end, uint32_t fin)
{
	return view->access == SPIN_COPIED ? spin_accept_(spin_connection_at(number), start, end, fin)
					   : spin_accept_direct_(number, start, end, fin);
}

#endif
