/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: the time, spin_clock_ns(). Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, last; };
SPIN_STATE(struct tally);

static enum spin_payload_rc card_payload(struct spin_payload *p, struct tally *state)
{
	if (spin_clock_ns() & 1) // card: cannot offload: spin_clock_ns: the time, which a card does not tell its handlers; let the host write it, or what depends on it, into a table
		return SPIN_DROP;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload);
