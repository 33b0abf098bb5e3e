/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: table entries of 60 bytes, 4 too many. Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

struct row {
	SPIN_KEY(uint32_t, key);
	SPIN_READ_ONLY(uint32_t, word[13]);
	SPIN_COUNTER(hits);
};

SPIN_TABLE(rows, struct row, 16); // card: cannot offload: an entry of rows has 60 bytes, on a card at most 56: split the table
SPIN_NO_STATE;

static enum spin_payload_rc card_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	struct row *row = SPIN_FIND(rows, p->length);

	if (row)
		spin_count(&row->hits, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload);
