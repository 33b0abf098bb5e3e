/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a byte swap of 64 bits (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = (uint32_t)(__builtin_bswap64(state->n) >> 7);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(bswap64, .payload = f);
