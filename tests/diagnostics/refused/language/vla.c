/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: an array of variable length. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint8_t copy[p->length]; // compiler: the length of this array is not constant; write its largest length (stack: about 256 bytes in all)

	copy[0] = 1;
	state->n = copy[0];
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(vla, .payload = f);
