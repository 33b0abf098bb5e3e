/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a function of eight arguments, inlined because calls take at most five (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static inline uint32_t mix(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f, uint32_t g, uint32_t h)
{
	return a * b + c * d + e * f + g * h;
}

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = mix(p->length, state->n, 1, 2, 3, state->words[0], state->words[1], state->words[2]);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(arguments_eight, .payload = f);
