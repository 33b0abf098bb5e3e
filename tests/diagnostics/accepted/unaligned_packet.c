/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a word of the packet at an odd offset (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 1, uint32_t);

	if (w)
		state->n = *w;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(unaligned_packe, .payload = f);
