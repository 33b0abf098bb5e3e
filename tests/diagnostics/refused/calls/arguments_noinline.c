/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: 6 arguments to a function that is not inlined. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static __attribute__((noinline)) uint32_t mix(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e,
					      uint32_t f)
{
	return a * b + c * d + e * f;
}

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = mix(p->length, state->n, state->words[0], state->words[1], state->words[2], state->words[3]); // compiler: more than 5 arguments to a function that is not inlined; declare it static inline, or pass a pointer to a struct
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(arguments_noinl, .payload = f);
