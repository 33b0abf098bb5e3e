/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_work() of a length known only at run time. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

SPIN_WORK(8);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	if (spin_work(p, state->words, p->length)) // compiler: the length of spin_work must be a constant and a multiple of 4
		return SPIN_DROP;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(work, .payload = f);
