/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: 3,145,761 table entries in all. Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

struct row { SPIN_KEY(uint32_t, key); SPIN_COUNTER(n); };
SPIN_TABLE(a, struct row, 1048576);
SPIN_TABLE(b, struct row, 1048576);
SPIN_TABLE(c, struct row, 1048576); // card: cannot offload: with c there are 3145761 entries in 5 tables, on a card at most 3072000 in 128: make tables smaller
SPIN_NO_STATE;

static enum spin_payload_rc card_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	if (SPIN_FIND(a, p->length) && SPIN_FIND(b, 1) && SPIN_FIND(c, 1))
		return SPIN_DROP;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload);
