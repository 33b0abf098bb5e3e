/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* spincc --trusted: accepts a call with five arguments, the maximum; the isolated class allows no calls (run by accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static __attribute__((noinline)) uint32_t mix(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e)
{
	return a * b + c * d + e;
}

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = mix(p->length, state->n, state->words[0], state->words[1], state->words[2]);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(arguments_five, .payload = f);
