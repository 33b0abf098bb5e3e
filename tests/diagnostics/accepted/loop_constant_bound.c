/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a loop with a constant bound of 1000 iterations (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t n = p->length;

	for (uint32_t i = 0; i < 1000; i++)
		n = n * 5 + (n >> 3);
	state->n = n;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loop_constant_b, .payload = f);
