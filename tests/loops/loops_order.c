/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loops_order - loops over a datagram's payload that compare each element with those before it: changes, ascents, changes of sign, peaks.
 * All engines (host, kernel, model) must have the same results: tests/unit/loops_agree.c and loops_fit_the_mtu.c.
 */
#include "loops.h"

static void changes(struct spin_payload *p, struct loops *s)
{
	uint32_t last = 0, count = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (*w != last)
			count++;
		last = *w;
	}
	s->result[0] = count;
}

static void longest_ascent(struct spin_payload *p, struct loops *s)
{
	uint32_t last = 0xffffffff, length = 0, longest = 0;

	SPIN_FOR_EACH(p, uint16_t, h) {
		if (*h > last)
			length++;
		else
			length = 1;
		if (length > longest)
			longest = length;
		last = *h;
	}
	s->result[1] = longest;
}

static void changes_of_sign(struct spin_payload *p, struct loops *s)
{
	int32_t last = 0;
	uint32_t count = 0;

	SPIN_FOR_EACH(p, int32_t, w) {
		if ((*w < 0 && last > 0) || (*w > 0 && last < 0))
			count++;
		if (*w)
			last = *w;
	}
	s->result[2] = count;
}

static void peaks(struct spin_payload *p, struct loops *s)
{
	uint32_t before = 0, last = 0, count = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (last > before && last > *w)
			count++;
		before = last;
		last = *w;
	}
	s->result[3] = count;
}

static enum spin_payload_rc loops_order_payload(struct spin_payload *p, struct loops *s)
{
	changes(p, s);
	longest_ascent(p, s);
	changes_of_sign(p, s);
	peaks(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loops_order, .payload = loops_order_payload);
