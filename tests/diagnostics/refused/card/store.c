/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: a store to the state by spin_store32(). Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, last; };
SPIN_STATE(struct tally);

static enum spin_payload_rc card_payload(struct spin_payload *p, struct tally *state)
{
	spin_store32(&state->last, p->length); // card: cannot offload: spin_store32: a card's handlers write no memory, they count in it: use spin_add32 or spin_count, and let the host write the rest
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload);
