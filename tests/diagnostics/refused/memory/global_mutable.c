/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a global variable. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static uint32_t calls; // compiler: 'calls' is a variable outside the state, where the host would not see it; put it into the struct of SPIN_STATE, or make it const

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = ++calls;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(global_mutable, .payload = f);
