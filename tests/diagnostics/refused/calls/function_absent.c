/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a call of a function that nobody defines. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

uint32_t elsewhere(uint32_t n);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = elsewhere(p->length); // compiler: there is no function 'elsewhere'; handlers have no C library: call those of <spin/spin.h> and your own
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(function_absent, .payload = f);
