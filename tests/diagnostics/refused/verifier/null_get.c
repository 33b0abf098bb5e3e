/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the verifier: SPIN_GET's result used without a test. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 4, uint32_t);

	state->n = *w; // verifier: a pointer is used that may be NULL; test what SPIN_GET, SPIN_AT or SPIN_FIND gave before using it
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(null_get, .payload = f);
