/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loops_parse - loops over a datagram's bytes that parse text with a state: decimal numbers, and quoted strings with escapes. All engines
 * (host, kernel, model) must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

static void numbers(struct spin_payload *p, struct loops *s)
{
	uint32_t number = 0, sum = 0;

	SPIN_FOR_EACH(p, uint8_t, b) {
		if (*b >= '0' && *b <= '9') {
			number = number * 10 + (*b - '0');
		} else {
			sum += number;
			number = 0;
		}
	}
	s->result[0] = sum + number;
}

static void quoted(struct spin_payload *p, struct loops *s)
{
	enum { OUTSIDE, INSIDE, ESCAPED } state = OUTSIDE;
	uint32_t bytes = 0;

	SPIN_FOR_EACH(p, uint8_t, b) {
		switch (state) {
		case OUTSIDE:
			if (*b == '"')
				state = INSIDE;
			break;
		case INSIDE:
			if (*b == '"')
				state = OUTSIDE;
			else if (*b == '\\')
				state = ESCAPED;
			else
				bytes++;
			break;
		default:
			bytes++;
			state = INSIDE;
		}
	}
	s->result[1] = bytes;
	s->result[2] = state;
}

static enum spin_payload_rc loops_parse_payload(struct spin_payload *p, struct loops *s)
{
	numbers(p, s);
	quoted(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loops_parse, .payload = loops_parse_payload);
