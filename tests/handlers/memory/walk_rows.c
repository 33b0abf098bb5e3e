/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * walk_rows - adds a datagram's words to elements 1 to 7 of a row of sums (SPIN_FOR_EACH_WITH: the payload and an array in step). Each
 * datagram takes the next of four rows: the expression for the row counts, so it must be evaluated once a loop and not once a word.
 * Payloads of at most 8 bytes are dropped. For tests/vectors/walk.
 */
#include <spin/spin.h>

struct rows {
	uint32_t sum[4][8];
	uint32_t next;
};

SPIN_STATE(struct rows);

static enum spin_payload_rc walk_rows_payload(struct spin_payload *p, struct rows *state)
{
	if (p->length > 8)
		SPIN_FOR_EACH_WITH(p, uint32_t, word, state->sum[spin_fadd32(&state->next, 1) & 3], 1, sum)
			spin_add32(sum, *word);
	else
		return SPIN_DROP;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(walk_rows, .payload = walk_rows_payload);
