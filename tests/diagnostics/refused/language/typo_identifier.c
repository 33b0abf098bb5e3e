/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a misspelt result code, reported at its first use. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	if (p->length > 4)
		return SPIN_DORP; // compiler: use of undeclared identifier 'SPIN_DORP'; did you mean 'SPIN_DROP'?
	state->n = SPIN_DORP + 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(typo_identifier, .payload = f);
