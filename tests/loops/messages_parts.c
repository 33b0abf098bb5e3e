/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * messages_parts - loops over a message's packets: sums of its first 1,000 bytes and of the rest, and the two largest halfwords. All
 * engines (host, kernel, model) must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

static void sums_of_parts(struct spin_payload *p, struct loops *s)
{
	uint32_t i = 0, first = 0, rest = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (p->offset + 4 * i < 1000)
			first += *w;
		else
			rest += *w;
		i++;
	}
	s->result[5] += first;
	s->result[6] += rest;
}

static void two_largest(struct spin_payload *p, struct loops *s)
{
	uint32_t first = s->result[7], second = s->result[8];

	SPIN_FOR_EACH(p, uint16_t, h) {
		if (*h > first) {
			second = first;
			first = *h;
		} else if (*h > second && *h != first) {
			second = *h;
		}
	}
	s->result[7] = first;
	s->result[8] = second;
}

static enum spin_payload_rc messages_parts_payload(struct spin_payload *p, struct loops *s)
{
	sums_of_parts(p, s);
	two_largest(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(messages_parts, .payload = messages_parts_payload, .delivery = SPIN_DELIVER_ME);
