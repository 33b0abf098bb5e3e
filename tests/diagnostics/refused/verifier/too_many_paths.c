/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the verifier: a loop of 256 iterations and many branches. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < 256; i++) { // verifier: the paths through this loop take more than the verifier's 1,000,000 steps; give it a smaller constant bound, or fewer branches
		const uint8_t *b = SPIN_GET(p, i, uint8_t);

		if (b && *b & 1)
			n = n * 3 + i;
		else if (b && *b & 2)
			n = n * 5 + *b;
		if (n & 64)
			spin_add32(&state->words[n & 15], i);
	}
	state->n = n;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(too_many_paths, .payload = f);
