/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a path without a return. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	if (p->length > 4)
		return SPIN_SUCCESS;
	state->n = 1;
} // compiler: the function can end without a return; return a value on every path

SPIN_HANDLERS(return_absent, .payload = f);
