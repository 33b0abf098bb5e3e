/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a computed goto. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	static void *const to[] = { &&one, &&two }; // compiler: a computed goto; use switch
	goto *to[p->length & 1];
	one:
	state->n = 1;
	two:
	state->n++;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(computed_goto, .payload = f);
