/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * walk_with - datagrams: words in step with sums, where zeros are left out and all ones end it, and pieces of 12 bytes in step
 * with larger elements.
 */
#include <spin/spin.h>

struct counted {
	uint32_t pieces, last_words;
};
struct walked_with {
	uint32_t sum[64];
	struct counted by12[8];
	uint32_t numbers; /* sum of SPIN_INDEX, of both */
	uint32_t from;    /* the element that the first piece is beside; the test's to write */
};
struct piece12 {
	uint32_t word[3];
};

SPIN_STATE(struct walked_with);

static enum spin_payload_rc walk_with_payload(struct spin_payload *p, struct walked_with *state)
{
	SPIN_FOR_EACH_WITH(p, uint32_t, word, state->sum, state->from, sum) {
		if (!*word)
			continue;
		if (*word == 0xffffffff)
			break;
		spin_add32(sum, *word);
		spin_add32(&state->numbers, SPIN_INDEX(p, word));
	}
	SPIN_FOR_EACH_WITH(p, struct piece12, piece, state->by12, state->from, counted) {
		spin_add32(&counted->pieces, 1);
		spin_add32(&counted->last_words, piece->word[2]);
		spin_add32(&state->numbers, SPIN_INDEX(p, piece));
	}
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(walk_with, .payload = walk_with_payload);
