/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loops_extremes - loops over a datagram's words that find the smallest and the largest: by if, by ?:, signed; and the place of the
 * smallest. All engines (host, kernel, model) must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

static void extremes_by_if(struct spin_payload *p, struct loops *s)
{
	uint32_t min = 0xffffffff, max = 0, sum = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (*w < min)
			min = *w;
		if (*w > max)
			max = *w;
		sum += *w;
	}
	s->result[0] = min;
	s->result[1] = max;
	s->result[2] = sum;
}

static void extremes_by_choice(struct spin_payload *p, struct loops *s)
{
	uint32_t min = s->result[0], max = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		min = *w < min ? *w : min;
		max = *w > max ? *w : max;
	}
	s->result[3] = min;
	s->result[4] = max;
}

static void extremes_signed(struct spin_payload *p, struct loops *s)
{
	int32_t min = INT32_MAX, max = INT32_MIN;

	SPIN_FOR_EACH(p, int32_t, w) {
		if (*w < min)
			min = *w;
		else if (*w > max)
			max = *w;
	}
	s->result[5] = (uint32_t)min;
	s->result[6] = (uint32_t)max;
}

static void place_of_the_smallest(struct spin_payload *p, struct loops *s)
{
	uint32_t min = 0xffffffff, at = 0, i = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (*w < min) {
			min = *w;
			at = i;
		}
		i++;
	}
	s->result[7] = at;
}

static enum spin_payload_rc loops_extremes_payload(struct spin_payload *p, struct loops *s)
{
	extremes_by_if(p, s);
	extremes_by_choice(p, s);
	extremes_signed(p, s);
	place_of_the_smallest(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loops_extremes, .payload = loops_extremes_payload);
