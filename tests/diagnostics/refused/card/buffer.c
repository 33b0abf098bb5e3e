/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: SPIN_BUFFER. Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

SPIN_BUFFER(uint32_t, words, 64); // card: cannot offload: SPIN_BUFFER or SPIN_REPLY: a buffer of an HPU, which a card does not have: its handlers have their stack, and entries that the host writes
struct tally { uint32_t n, last; };
SPIN_STATE(struct tally);

static enum spin_payload_rc card_payload(struct spin_payload *p, struct tally *state)
{
	spin_add32(&state->n, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload);
