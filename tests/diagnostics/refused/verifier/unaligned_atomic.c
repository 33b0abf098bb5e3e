/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the verifier: an atomic 2 bytes past a word's start. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	spin_add32((uint32_t *)((uint8_t *)state->words + 2), 1); // verifier: the address is not a multiple of the access's size; let the type align the data, or go byte by byte
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(unaligned_atomi, .payload = f);
