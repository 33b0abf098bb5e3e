/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loops_nested - loops over a datagram's payload with nested conditions on several counts, and loops that end early or skip every second
 * word. All engines (host, kernel, model) must have the same results: tests/unit/loops_agree.c.
 */
#include "loops.h"

static void nested(struct spin_payload *p, struct loops *s)
{
	uint32_t a = 0, b = 0, c = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (*w & 1) {
			if (*w & 2) {
				if (a < 1000)
					a++;
			} else if (b < a) {
				b++;
			}
		} else if (c < a + b) {
			c += 2;
		}
	}
	s->result[0] = a;
	s->result[1] = b;
	s->result[2] = c;
}

static void until_a_sum(struct spin_payload *p, struct loops *s)
{
	uint32_t sum = 0, count = 0;

	SPIN_FOR_EACH(p, uint16_t, h) {
		sum += *h;
		count++;
		if (sum > 500000)
			break;
	}
	s->result[3] = count;
	s->result[4] = sum;
}

static void each_second(struct spin_payload *p, struct loops *s)
{
	uint32_t i = 0, sum = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (i++ & 1)
			continue;
		sum += *w;
	}
	s->result[5] = sum;
}

static void first_of_a_kind(struct spin_payload *p, struct loops *s)
{
	uint32_t first = 0, has = 0, others = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (!has) {
			first = *w;
			has = 1;
		} else if (*w != first) {
			others++;
			if (others == 100)
				break;
		}
	}
	s->result[6] = first;
	s->result[7] = others;
}

static enum spin_payload_rc loops_nested_payload(struct spin_payload *p, struct loops *s)
{
	nested(p, s);
	until_a_sum(p, s);
	each_second(p, s);
	first_of_a_kind(p, s);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loops_nested, .payload = loops_nested_payload);
