/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loops_records - a loop over a datagram's bytes that parses records of type, length and value, with a state. All engines (host, kernel,
 * model) must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

/* Counts records of type 1, and the bytes of all values. */
static void records(struct spin_payload *p, struct loops *s)
{
	uint32_t left = 0, expects_length = 0, type = 0, count = 0, bytes = 0;

	SPIN_FOR_EACH(p, uint8_t, b) {
		if (left) {
			left--;
			bytes++;
		} else if (expects_length) {
			left = *b;
			expects_length = 0;
			if (type == 1)
				count++;
		} else {
			type = *b;
			expects_length = 1;
		}
	}
	s->result[0] = count;
	s->result[1] = bytes;
}

static enum spin_payload_rc loops_records_payload(struct spin_payload *p, struct loops *s)
{
	records(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loops_records, .payload = loops_records_payload);
