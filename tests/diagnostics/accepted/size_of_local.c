/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a local size_t, whose width differs between targets (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	size_t bytes = sizeof(*state);

	state->n += (uint32_t)bytes + p->length;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(size_of_local, .payload = f);
