/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: two local arrays of 320 bytes. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t a[80], b[80]; // compiler: 'a' takes 320 bytes of stack; handlers have about 256 in all: keep large variables in the state

	for (uint32_t i = 0; i < 80; i++) {
		a[i] = spin_load32(&state->words[i & 15]) + i;
		b[i] = spin_load32(&state->words[i & 15]) ^ i;
	}
	for (uint32_t i = 0; i < 80; i++)
		state->n += a[b[i] % 80] + b[a[i] % 80];
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(stack_two_array, .payload = f);
