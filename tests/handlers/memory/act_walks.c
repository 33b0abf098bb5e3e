/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_walks - sums the payload's bytes in two walks (SPIN_FOR_EACH), within one budget of 64 steps: 33 bytes are too many, and the second
 * walk ends after 31 of them. For tests/vectors/actions.
 */
#include <spin/spin.h>

struct walked {
	uint32_t first, second;
};
SPIN_STATE(struct walked);

static enum spin_payload_rc act_walks_payload(struct spin_payload *p, struct walked *state)
{
	uint32_t first = 0, second = 0;

	SPIN_FOR_EACH(p, uint8_t, byte)
		first += *byte;
	SPIN_FOR_EACH(p, uint8_t, byte)
		second += *byte;
	state->first += first;
	state->second += second;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(act_walks, .payload = act_walks_payload, .budget = 64);
