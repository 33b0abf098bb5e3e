/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a variable that is read before it has a value. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t n;

	state->n = n; // compiler: 'n' is read before it has a value; initialise it
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(uninitialised_v, .payload = f);
