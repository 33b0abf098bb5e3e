/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a pointer in the state. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n;
	struct tally *next[2]; // compiler: 'next' is a pointer; state has none: keep an index
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = p->length;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(state_pointer, .payload = f);
