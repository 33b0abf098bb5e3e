/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_rewrite - TCP segments: the payload handler keeps or rewrites the payload, or loops until its budget of 1,000 steps ends it, as the
 * application has set. A store beyond the payload is SEGV. For tests/vectors/segments_wire, tests/vectors/segments_returns and tests/ring.
 */
#include <spin/spin.h>

enum { KEEP, INVERT_ALL, SET16, SET32, ENDLESS };

struct seg_rewrite {
	uint32_t what, at, value; /* set by the application: enum above, where, and the value stored there */
	uint32_t stores;
};

SPIN_STATE(struct seg_rewrite);

static enum spin_payload_rc seg_rewrite_payload(struct spin_payload *p, struct seg_rewrite *state)
{
	const uint32_t what = state->what, at = state->at & 0x3ffe;
	const uint16_t *half;
	const uint32_t *word;

	SPIN_WHILE(p, spin_load32(&state->what) == ENDLESS)
		spin_yield(p);
	if (what == INVERT_ALL)
		SPIN_FOR_EACH(p, uint32_t, w)
			spin_set32(p, w, ~*w);
	if (what == SET16) {
		half = SPIN_GET(p, at, uint16_t);
		if (!half)
			return SPIN_SEGV;
		spin_set16(p, half, (uint16_t)state->value);
	}
	if (what == SET32) {
		word = SPIN_GET(p, at, uint32_t);
		if (!word)
			return SPIN_SEGV;
		spin_set32(p, word, state->value);
	}
	state->stores += what != KEEP;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(seg_rewrite, .payload = seg_rewrite_payload, .budget = 1000, .delivery = SPIN_DELIVER_SEGMENTS);
