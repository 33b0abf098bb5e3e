/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: a state of 60 bytes, 4 too many. Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n[15]; };
SPIN_STATE(struct tally); // card: cannot offload: the state has 60 bytes, and what a card keeps in one place at most 56: keep it in a SPIN_TABLE, or in a smaller struct

static enum spin_payload_rc card_payload(struct spin_payload *p, struct tally *state)
{
	spin_add32(&state->n[0], 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload);
