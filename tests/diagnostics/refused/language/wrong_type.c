/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: SPIN_GET of a type that is not the pointer's. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint64_t *w = SPIN_GET(p, 0, uint32_t); // compiler: incompatible pointer types initializing 'const uint64_t *' (aka 'const unsigned long *') with an expression of type 'const uint32_t *' (aka 'const unsigned int *')
	state->n = w ? *w : 0;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(wrong_type, .payload = f);
