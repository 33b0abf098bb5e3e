/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: a divisor that is not constant. Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, last; };
SPIN_STATE(struct tally);

static enum spin_payload_rc card_payload(struct spin_payload *p, struct tally *state)
{
	if (state->n && p->length / state->n == 1) // card: cannot offload: a divisor that is not constant, and the card divides by constants only
		return SPIN_DROP;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload);
