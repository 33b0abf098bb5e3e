/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: handlers of messages. Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, last; };
SPIN_STATE(struct tally);

static enum spin_payload_rc card_payload(struct spin_payload *p, struct tally *state)
{
	spin_add32(&state->n, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload, .delivery = SPIN_DELIVER_ME); // card: cannot offload: it takes messages (SPIN_DELIVER_ME): what is kept of each message, its window, the order of its handlers and its memory, a card's program cannot make; offload handlers of datagrams
