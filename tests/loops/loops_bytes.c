/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loops_bytes - loops over a datagram's bytes: the longest run of equal ones, and the place of the first newline (break). All engines
 * (host, kernel, model) must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

static void longest_run(struct spin_payload *p, struct loops *s)
{
	uint32_t run = 0, longest = 0, last = 256;

	SPIN_FOR_EACH(p, uint8_t, b) {
		run = *b == last ? run + 1 : 1;
		last = *b;
		if (run > longest)
			longest = run;
	}
	s->result[0] = longest;
}

static void place_of_a_byte(struct spin_payload *p, struct loops *s)
{
	uint32_t at = 0, found = 0;

	SPIN_FOR_EACH(p, uint8_t, b) {
		if (*b == '\n') {
			found = 1;
			break;
		}
		at++;
	}
	s->result[1] = found ? at : 0xffffffff;
}

static enum spin_payload_rc loops_bytes_payload(struct spin_payload *p, struct loops *s)
{
	longest_run(p, s);
	place_of_a_byte(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loops_bytes, .payload = loops_bytes_payload);
