/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loops_wide - loops over a datagram's payload by 64-bit words, and with variables in a structure or a condition in a function. All engines
 * (host, kernel, model) must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

static void extremes_of_64_bits(struct spin_payload *p, struct loops *s)
{
	uint64_t min = UINT64_MAX, max = 0;

	SPIN_FOR_EACH(p, uint64_t, w) {
		if (*w < min)
			min = *w;
		if (*w > max)
			max = *w;
	}
	s->result[0] = (uint32_t)min;
	s->result[1] = (uint32_t)(min >> 32);
	s->result[2] = (uint32_t)max;
	s->result[3] = (uint32_t)(max >> 32);
}

static void sum_of_64_bits(struct spin_payload *p, struct loops *s)
{
	uint64_t sum = 0;
	uint32_t carries = 0;

	SPIN_FOR_EACH(p, uint64_t, w) {
		sum += *w;
		if (sum < *w)
			carries++;
	}
	s->result[4] = (uint32_t)sum;
	s->result[5] = (uint32_t)(sum >> 32);
	s->result[6] = carries;
}

static void in_a_structure(struct spin_payload *p, struct loops *s)
{
	struct {
		uint32_t min, max, count;
	} seen = { 0xffffffff, 0, 0 };

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (*w < seen.min)
			seen.min = *w;
		if (*w > seen.max)
			seen.max = *w;
		seen.count++;
	}
	s->result[7] = seen.min;
	s->result[8] = seen.max;
	s->result[9] = seen.count;
}

static inline uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void by_a_function(struct spin_payload *p, struct loops *s)
{
	uint16_t max = 0;
	uint8_t low = 255;

	SPIN_FOR_EACH(p, uint16_t, h) {
		max = (uint16_t)larger(max, *h);
		if ((uint8_t)*h < low)
			low = (uint8_t)*h;
	}
	s->result[10] = max;
	s->result[11] = low;
}

static enum spin_payload_rc loops_wide_payload(struct spin_payload *p, struct loops *s)
{
	extremes_of_64_bits(p, s);
	sum_of_64_bits(p, s);
	in_a_structure(p, s);
	by_a_function(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loops_wide, .payload = loops_wide_payload);
