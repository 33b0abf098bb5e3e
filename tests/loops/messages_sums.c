/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * messages_sums - loops over a message's packets with several sums at a time: saturating, by kind of word, and of 64 bits in two halves.
 * All engines (host, kernel, model) must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

static void sum_saturates(struct spin_payload *p, struct loops *s)
{
	uint32_t sum = s->result[0];

	SPIN_FOR_EACH(p, uint16_t, h) {
		if (sum > 0xffffffff - *h)
			sum = 0xffffffff;
		else
			sum += *h;
	}
	s->result[0] = sum;
}

static void sums_by_kind(struct spin_payload *p, struct loops *s)
{
	uint32_t odd = 0, even = 0, large = 0, zeros = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (!*w)
			zeros++;
		else if (*w & 1)
			odd += *w;
		else
			even += *w;
		if (*w >= 0x80000000)
			large++;
	}
	s->result[1] += odd;
	s->result[2] ^= even;
	s->result[3] += large;
	s->result[4] += zeros;
}

/* A 64-bit sum in two halves. */
static void sum_with_carry(struct spin_payload *p, struct loops *s)
{
	uint32_t low = s->result[7], high = s->result[8];

	SPIN_FOR_EACH(p, uint32_t, w) {
		low += *w;
		if (low < *w)
			high++;
	}
	s->result[7] = low;
	s->result[8] = high;
}

static enum spin_payload_rc messages_sums_payload(struct spin_payload *p, struct loops *s)
{
	sum_saturates(p, s);
	sums_by_kind(p, s);
	sum_with_carry(p, s);
	return SPIN_SUCCESS;
}

static enum spin_completion_rc messages_sums_completion(struct spin_completion *c, struct loops *s)
{
	(void)c;
	s->result[31]++;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(messages_sums, .payload = messages_sums_payload, .message_completion = messages_sums_completion, .delivery = SPIN_DELIVER_ME);
