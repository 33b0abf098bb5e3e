/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a second SPIN_STATE. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

SPIN_STATE(struct tally); // compiler: a second state is registered; put everything into one struct and one SPIN_STATE

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(state_twice, .payload = f);
