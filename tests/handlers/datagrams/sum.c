/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * sum - adds up the words of every datagram, which it drops. Compared with hand-written code for the card (tests/model/baselines/sum.c):
 * tests/model/wrapper_costs_at_most_5.c allows 5 more cycles, and for_each_adds_no_instruction.sh no other instruction in the loop.
 */
#include <spin/spin.h>

struct total {
	uint32_t sum;
};

SPIN_STATE(struct total);

static enum spin_payload_rc sum_payload(struct spin_payload *p, struct total *state)
{
	uint32_t sum = 0;

	SPIN_FOR_EACH(p, uint32_t, w)
		sum += *w;
	spin_add32(&state->sum, sum);
	return SPIN_DROP;
}

SPIN_HANDLERS(sum, .payload = sum_payload);
