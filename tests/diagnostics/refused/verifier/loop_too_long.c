/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the kernel's verifier: a loop of 2,000,000 iterations. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	for (uint32_t i = 0; i < 2000000; i++) // verifier: the paths through this loop take more than the verifier's 1,000,000 steps; give it a smaller constant bound, or fewer branches
		spin_add32(&state->n, i);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loop_too_long, .payload = f);
