/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc --target nfp: SPIN_AT on a table with a SPIN_KEY. Expected error: the faulty line's comment (card_refuses.sh) */
#include <spin/spin.h>

struct row {
	SPIN_KEY(uint32_t, key);
	SPIN_READ_ONLY(uint32_t, word[1]);
	SPIN_COUNTER(hits);
};

SPIN_TABLE(rows, struct row, 16);
SPIN_NO_STATE;

static enum spin_payload_rc card_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	struct row *row = SPIN_AT(rows, p->length); // card: cannot offload: SPIN_AT rows: on a card a table with a SPIN_KEY is a hash, which has no index; leave SPIN_KEY out, or use SPIN_FIND

	if (row)
		spin_count(&row->hits, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(card, .payload = card_payload);
