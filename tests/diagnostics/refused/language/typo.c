/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a misspelt field. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = p->lenght; // compiler: no member named 'lenght' in 'struct spin_payload'; did you mean 'length'?
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(typo, .payload = f);
