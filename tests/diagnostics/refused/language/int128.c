/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: numbers of 128 bits. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	unsigned __int128 n = (unsigned __int128)state->n * p->length; // compiler: numbers of 128 bits; compute with two of uint64_t

	state->n = (uint32_t)(n >> 32);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(int128, .payload = f);
