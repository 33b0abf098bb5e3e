/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the verifier: a word at an odd address of the stack. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint8_t copy[16] = { 0 };

	copy[p->length & 15] = 1;
	*(volatile uint32_t *)(copy + 1) = p->length; // verifier: the address is not a multiple of the access's size; let the type align the data, or go byte by byte
	state->n = copy[state->n & 15];
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(unaligned_stack, .payload = f);
