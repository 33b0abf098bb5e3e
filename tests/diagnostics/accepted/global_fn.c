/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a function that is not static (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

uint32_t at(uint32_t n)
{
	return n * 5;
}

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = at(p->length);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(global_fn, .payload = f);
