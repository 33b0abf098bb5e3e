/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a remainder by a difference that may be 0. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t n = p->length - 64;

	if (p->length < 64)
		return SPIN_DROP;
	state->words[0] = state->n % n; // compiler: the divisor may be 0, of which each target makes something else; test it first, as in if (!n) return SPIN_FAIL;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(remainder_by, .payload = f);
