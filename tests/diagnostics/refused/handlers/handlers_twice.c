/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a second SPIN_HANDLERS. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(handlers_twice, .payload = f);
SPIN_HANDLERS(again, .payload = f); // compiler: handlers are registered a second time; write one SPIN_HANDLERS with all of them
