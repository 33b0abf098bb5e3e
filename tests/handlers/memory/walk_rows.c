/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* walk_rows - adds a datagram's words to a row of sums, each datagram the next row; a walk evaluates the row once. For tests/vectors. */
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
