/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * walk_with - loops over the payload in step with an array (SPIN_FOR_EACH_WITH), from its element `from` on; the end of the shorter one
 * ends the loop. First by words with 64 sums, where zeros are skipped and all ones stop it; then by pieces of 12 bytes with 8 elements of 8
 * bytes. For tests/vectors/walk.
 */
#include <spin/spin.h>

struct counted {
	uint32_t pieces, last_words;
};
struct walked_with {
	uint32_t sum[64];
	struct counted by12[8];
	uint32_t numbers; /* sum of SPIN_INDEX over both walks */
	uint32_t from;    /* element that goes with the first piece; set by the test */
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
