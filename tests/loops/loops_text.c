/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loops_text - loops over a datagram's bytes that count classes of characters (a-z, A-Z, 0-9) and words. All engines (host, kernel, model)
 * must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

static void letters(struct spin_payload *p, struct loops *s)
{
	uint32_t lower = 0, upper = 0, digits = 0;

	SPIN_FOR_EACH(p, uint8_t, b) {
		if (*b >= 'a' && *b <= 'z')
			lower++;
		else if (*b >= 'A' && *b <= 'Z')
			upper++;
		else if (*b >= '0' && *b <= '9')
			digits++;
	}
	s->result[0] = lower;
	s->result[1] = upper;
	s->result[2] = digits;
}

static void words(struct spin_payload *p, struct loops *s)
{
	uint32_t inside = 0, count = 0;

	SPIN_FOR_EACH(p, uint8_t, b) {
		if (*b == ' ' || *b == '\n' || *b == '\t') {
			inside = 0;
		} else if (!inside) {
			inside = 1;
			count++;
		}
	}
	s->result[3] = count;
}

static enum spin_payload_rc loops_text_payload(struct spin_payload *p, struct loops *s)
{
	letters(p, s);
	words(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loops_text, .payload = loops_text_payload);
