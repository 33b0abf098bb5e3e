/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a variable without a value on one path. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t n;

	if (p->length > 4) // compiler: 'n' has no value on one of the ways from here; initialise it
		n = 1;
	state->n = n;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(uninitialised_s, .payload = f);
