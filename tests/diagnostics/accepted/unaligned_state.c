/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a word of the state at an odd address (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	*(uint32_t *)((uint8_t *)state->words + 1) = p->length;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(unaligned_state, .payload = f);
