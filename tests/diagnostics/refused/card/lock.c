/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: a lock. Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

struct tally { struct spin_lock lock; uint32_t n; };
SPIN_STATE(struct tally);

static enum spin_payload_rc card_payload(struct spin_payload *p, struct tally *state)
{
	SPIN_LOCKED(p, &state->lock) // card: cannot offload: SPIN_LOCKED: an atomic that tells what was there before, and a card's only add: cache lines, leases and locks that are taken by it cannot offload; count with spin_add32 or spin_count, and leave the rest to the host
		state->n++;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload);
