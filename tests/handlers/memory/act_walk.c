/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_walk - goes over the payload's bytes (SPIN_FOR_EACH) and then loops 500 times. No budget is registered: the walk takes no steps, and
 * the loop has the default of 2^20, so both must complete. For tests/vectors/actions.
 */
#include <spin/spin.h>

struct walked {
	uint32_t bytes, rounds;
};
SPIN_STATE(struct walked);

static enum spin_payload_rc act_walk_payload(struct spin_payload *p, struct walked *state)
{
	uint32_t bytes = 0;

	SPIN_FOR_EACH(p, uint8_t, byte)
		bytes += *byte != 0xee;
	state->rounds = 0;
	SPIN_WHILE(p, state->rounds < 500)
		state->rounds++;
	state->bytes = bytes;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(act_walk, .payload = act_walk_payload);
