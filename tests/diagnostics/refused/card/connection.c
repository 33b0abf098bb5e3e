/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: spin_connection(), a connection of TCP. Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, last; };
SPIN_STATE(struct tally);

static enum spin_payload_rc card_payload(struct spin_payload *p, struct tally *state)
{
	if (spin_connection(p) == 1) // card: cannot offload: spin_connection: a connection of TCP, which ends in the kernel and not on a card; leave TCP to the host
		return SPIN_DROP;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload);
