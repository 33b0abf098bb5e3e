/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: floating point in a comparison. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	if (state->n * 1.5 > p->length) // compiler: floating point; compute with integers, scaled by a power of two
		state->n = 0;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(double_compare, .payload = f);
