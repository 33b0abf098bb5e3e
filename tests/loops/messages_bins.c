/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * messages_bins - loops over a message's packets that count words and bytes by value in an array, with the bounds tested (SPIN_AT) or
 * masked. All engines (host, kernel, model) must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

static void bins(struct spin_payload *p, struct loops *s)
{
	SPIN_FOR_EACH(p, uint32_t, w) {
		uint32_t *count = SPIN_AT(s->result, *w);

		if (count)
			spin_add32(count, 1);
		else
			s->result[31]++;
	}
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

static enum spin_payload_rc messages_bins_payload(struct spin_payload *p, struct loops *s)
{
	bins(p, s);
	bins_of_two_kinds(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(messages_bins, .payload = messages_bins_payload, .delivery = SPIN_DELIVER_ME);
