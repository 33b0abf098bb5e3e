/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: unsigned division and modulo, 32 and 64 bits (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 0, uint32_t);
	uint64_t sum = (uint64_t)state->n << 8;

	if (w && *w)
		state->n = p->length / *w + p->length % *w + (uint32_t)(sum / 1000) + (uint32_t)(sum % 7);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(division_unsign, .payload = f);
