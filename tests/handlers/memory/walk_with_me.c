/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * walk_with_me - loops over the words of a message's packets in step with 64 sums (SPIN_FOR_EACH_WITH), within a budget of 32 steps. Only
 * words that have a sum take a step. For tests/vectors/walk.
 */
#include <spin/spin.h>

struct walked_with {
	uint32_t sum[64];
	uint32_t from; /* element that goes with the first word; set by the test */
};

SPIN_STATE(struct walked_with);

static enum spin_payload_rc walk_with_me_payload(struct spin_payload *p, struct walked_with *state)
{
	SPIN_FOR_EACH_WITH(p, uint32_t, word, state->sum, state->from, sum)
		spin_add32(sum, *word);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(walk_with_me, .payload = walk_with_me_payload, .delivery = SPIN_DELIVER_ME, .budget = 32);
