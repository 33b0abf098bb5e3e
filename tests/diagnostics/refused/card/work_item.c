/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: spin_work(), which uses host memory. Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

SPIN_WORK(4);
struct tally { uint32_t n, last; };
SPIN_STATE(struct tally);

static enum spin_payload_rc card_payload(struct spin_payload *p, struct tally *state)
{
	spin_work(p, &p->length, 4); // card: cannot offload: spin_work: host memory, which a card's handlers do not reach; count in a table, or leave the packet to the host
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload);
