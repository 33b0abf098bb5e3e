/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loops_count - a loop over a datagram's bytes that counts zeros, the smallest loop with a condition. All engines (host, kernel, model)
 * must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

static void zeros(struct spin_payload *p, struct loops *s)
{
	uint32_t count = 0;

	SPIN_FOR_EACH(p, uint8_t, b)
		if (!*b)
			count++;
	s->result[0] = count;
}

static enum spin_payload_rc loops_count_payload(struct spin_payload *p, struct loops *s)
{
	zeros(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loops_count, .payload = loops_count_payload);
