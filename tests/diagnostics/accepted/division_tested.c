/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: division by a divisor that was tested for 0 (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t n = state->n;

	if (!n)
		return SPIN_FAIL;
	state->words[0] = p->length / n;
	state->words[1] = p->length % n;
	if (p->length > 8)
		state->words[2] = n / (p->length - 8);
	state->words[3] = p->length / (n | 1) / 7;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(division_tested, .payload = f);
