/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: an index that is tested by SPIN_AT, or masked (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 0, uint32_t);
	uint32_t *at = w ? SPIN_AT(state->words, *w) : 0;

	if (at)
		spin_add32(at, 1);
	if (w)
		state->words[*w & 15]++;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(index_masked, .payload = f);
