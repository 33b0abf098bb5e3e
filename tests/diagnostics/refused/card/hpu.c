/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: the number of the HPU, spin_my_hpu(). Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, last; };
SPIN_STATE(struct tally);

static enum spin_payload_rc card_payload(struct spin_payload *p, struct tally *state)
{
	if (spin_my_hpu(p)) // card: cannot offload: spin_my_hpu: the number of the HPU, which a card does not tell; count with spin_add32 or spin_count, which all cores may do at once
		return SPIN_DROP;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload);
