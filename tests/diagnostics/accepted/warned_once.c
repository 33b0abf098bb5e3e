/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: an unused variable, and warn once although two compilers do (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t unused; // warning: unused variable 'unused'

	state->n = p->length;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(warned_once, .payload = f);
