/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a goto out of nested loops (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t k = 0; k < 4; k++)
			if (spin_load32(&state->words[i * 4 + k]) == p->length)
				goto found;
	return SPIN_DROP;
found:
	spin_add32(&state->n, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(goto_forward, .payload = f);
