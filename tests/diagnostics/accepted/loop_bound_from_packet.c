/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a loop with a bound from the packet and a constant one (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 0, uint32_t);
	uint32_t n = w ? *w : 0;

	for (uint32_t i = 0; i < 16 && i < n; i++)
		spin_add32(&state->words[i], 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loop_bound_from, .payload = f);
