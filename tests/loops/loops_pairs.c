/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loops_pairs - loops over a datagram's payload whose variables depend on each other: two smallest words, widest gap, moving average,
 * balance. All engines (host, kernel, model) must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

static void smallest_two(struct spin_payload *p, struct loops *s)
{
	uint32_t first = 0xffffffff, second = 0xffffffff;

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (*w < first) {
			second = first;
			first = *w;
		} else if (*w < second) {
			second = *w;
		}
	}
	s->result[0] = first;
	s->result[1] = second;
}

static void widest_gap(struct spin_payload *p, struct loops *s)
{
	uint32_t last = 0, gap = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		uint32_t d = *w > last ? *w - last : last - *w;

		if (d > gap)
			gap = d;
		last = *w;
	}
	s->result[2] = gap;
}

static void moving_average(struct spin_payload *p, struct loops *s)
{
	uint32_t average = 0, above = 0;

	SPIN_FOR_EACH(p, uint16_t, h) {
		average += ((uint32_t)*h << 8 >> 3) - (average >> 3);
		if ((uint32_t)*h << 8 > average)
			above++;
	}
	s->result[3] = average;
	s->result[4] = above;
}

static void balance(struct spin_payload *p, struct loops *s)
{
	int32_t level = 0, lowest = 0, highest = 0;

	SPIN_FOR_EACH(p, int16_t, h) {
		level += *h;
		if (level < lowest)
			lowest = level;
		if (level > highest)
			highest = level;
	}
	s->result[5] = (uint32_t)level;
	s->result[6] = (uint32_t)lowest;
	s->result[7] = (uint32_t)highest;
}

static enum spin_payload_rc loops_pairs_payload(struct spin_payload *p, struct loops *s)
{
	smallest_two(p, s);
	widest_gap(p, s);
	moving_average(p, s);
	balance(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loops_pairs, .payload = loops_pairs_payload);
