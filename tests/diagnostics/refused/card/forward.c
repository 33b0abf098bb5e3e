/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: spin_forward(). Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

SPIN_PUTS(1);
struct tally { uint32_t n, last; };
SPIN_STATE(struct tally);

static enum spin_payload_rc card_payload(struct spin_payload *p, struct tally *state)
{
	struct spin_process to = spin_source(p);

	spin_forward(p, &to); // card: cannot offload: spin_forward: sends packets of its own, which a card's XDP cannot; answer with spin_reply, or leave it to the host
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload);
