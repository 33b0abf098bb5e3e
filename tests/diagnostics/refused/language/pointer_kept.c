/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a pointer to the packet in a global variable. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static const uint32_t *last; // compiler: 'last' is a variable outside the state, where the host would not see it; put it into the struct of SPIN_STATE, or make it const

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	last = SPIN_GET(p, 0, uint32_t);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(pointer_kept, .payload = f);
