/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a local array of 800 bytes. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t copy[200]; // compiler: 'copy' takes 800 bytes of stack; handlers have about 256 in all: keep large variables in the state

	for (uint32_t i = 0; i < 200; i++)
		copy[i] = spin_load32(&state->words[i & 15]) + i;
	for (uint32_t i = 0; i < 200; i++)
		state->n += copy[copy[i] % 200];
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(stack_array, .payload = f);
