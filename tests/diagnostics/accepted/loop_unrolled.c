/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a loop that is unrolled: each index is a constant (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
#pragma unroll
	for (uint32_t i = 0; i < 32; i++)
		state->words[i & 15] += p->length;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loop_unrolled, .payload = f);
