/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loops_bins - loops over a datagram's payload that count by value: into 8 elements by the lowest bits, by size, by atomics, and into two
 * sums in turn. All engines (host, kernel, model) must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

static void bins(struct spin_payload *p, struct loops *s)
{
	SPIN_FOR_EACH(p, uint32_t, w)
		s->result[*w & 7]++;
}

static void bins_by_size(struct spin_payload *p, struct loops *s)
{
	uint32_t small = 0, middle = 0, large = 0;

	SPIN_FOR_EACH(p, uint16_t, h) {
		if (*h < 1000)
			small++;
		else if (*h < 30000)
			middle++;
		else
			large++;
	}
	s->result[8] = small;
	s->result[9] = middle;
	s->result[10] = large;
}

static void bins_of_two_kinds(struct spin_payload *p, struct loops *s)
{
	SPIN_FOR_EACH(p, uint8_t, b) {
		if (*b & 0x80)
			spin_add32(&s->result[12 + (*b & 3)], 1);
		else
			spin_add32(&s->result[16 + (*b & 3)], 1);
	}
}

static void bins_in_turn(struct spin_payload *p, struct loops *s)
{
	uint32_t turn = 0, even = 0, odd = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (*w > 0x80000000)
			turn = !turn;
		if (turn)
			odd += *w & 15;
		else
			even += *w & 15;
	}
	s->result[20] = even;
	s->result[21] = odd;
}

static enum spin_payload_rc loops_bins_payload(struct spin_payload *p, struct loops *s)
{
	bins(p, s);
	bins_by_size(p, s);
	bins_of_two_kinds(p, s);
	bins_in_turn(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loops_bins, .payload = loops_bins_payload);
