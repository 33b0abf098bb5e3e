/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loops_sums - loops over a datagram's payload with sums: saturating, of odd and even words, with rotation, and within bounds. All engines
 * (host, kernel, model) must have the same results: tests/unit/loops_agree.c and loops_fit_the_mtu.c.
 */
#include "loops.h"

static void saturating_sum(struct spin_payload *p, struct loops *s)
{
	uint32_t sum = 0;

	SPIN_FOR_EACH(p, uint16_t, h) {
		if (sum > 0xffff - *h)
			sum = 0xffff;
		else
			sum += *h;
	}
	s->result[0] = sum;
}

static void sum_of_the_odd(struct spin_payload *p, struct loops *s)
{
	uint32_t odd = 0, even = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (*w & 1)
			odd += *w;
		else
			even += *w;
	}
	s->result[1] = odd;
	s->result[2] = even;
}

static void checksum_with_rotation(struct spin_payload *p, struct loops *s)
{
	uint32_t sum = 1;

	SPIN_FOR_EACH(p, uint32_t, w)
		sum = (sum << 5 | sum >> 27) ^ *w;
	s->result[3] = sum;
}

static void sum_within_bounds(struct spin_payload *p, struct loops *s)
{
	uint32_t sum = 0, clipped = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		uint32_t v = *w;

		if (v > 1000000) {
			v = 1000000;
			clipped++;
		}
		sum += v;
		if (sum > 0x80000000)
			sum -= 0x80000000;
	}
	s->result[4] = sum;
	s->result[5] = clipped;
}

static enum spin_payload_rc loops_sums_payload(struct spin_payload *p, struct loops *s)
{
	saturating_sum(p, s);
	sum_of_the_odd(p, s);
	checksum_with_rotation(p, s);
	sum_within_bounds(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loops_sums, .payload = loops_sums_payload);
