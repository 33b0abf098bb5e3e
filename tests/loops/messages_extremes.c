/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * messages_extremes - loops over a message's packets that find the smallest and the largest word: of the message so far, and of each
 * packet. All engines (host, kernel, model) must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

/* Over all words of a message: each packet continues where the previous one ended. */
static void extremes_of_message(struct spin_payload *p, struct loops *s)
{
	uint32_t min = p->offset ? s->result[0] : 0xffffffff, max = p->offset ? s->result[1] : 0;
	uint32_t sum = p->offset ? s->result[2] : 0;

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

static void extremes_of_packet(struct spin_payload *p, struct loops *s)
{
	int32_t min = INT32_MAX, max = INT32_MIN;
	uint32_t at = 0, i = 0;

	SPIN_FOR_EACH(p, int32_t, w) {
		if (*w < min)
			min = *w;
		else if (*w > max) {
			max = *w;
			at = i;
		}
		i++;
	}
	s->result[3] ^= (uint32_t)min;
	s->result[4] ^= (uint32_t)max;
	s->result[5] += at;
}

static enum spin_payload_rc messages_extremes_payload(struct spin_payload *p, struct loops *s)
{
	extremes_of_message(p, s);
	extremes_of_packet(p, s);
	return SPIN_SUCCESS;
}

/* A name has at most 15 characters. */
SPIN_HANDLERS(messages_extrem, .payload = messages_extremes_payload, .delivery = SPIN_DELIVER_ME);
