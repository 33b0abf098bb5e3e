/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_copy - datagrams of one word, a case number, that copy within HPU memory (spin_copy): within the state, through a local variable, to
 * and from memory of the cluster; blocking or not; 1, 8, 40 and 83 words. Only the destination's words may change. Case 3 reads the state
 * by SPIN_FETCH (on the card by a copy in a local variable). For tests/vectors/actions_memory.
 */
#include <spin/spin.h>

#define WORDS 40

struct words {
	uint32_t word[WORDS];
};

struct copied {
	struct words from, to;
	uint32_t one, first, last;
	uint32_t many[128];
};
SPIN_STATE(struct copied);
SPIN_PER_CLUSTER(struct words, words);

static enum spin_payload_rc act_copy_payload(struct spin_payload *p, struct copied *state)
{
	const uint32_t *op = SPIN_GET(p, 0, uint32_t);
	struct spin_transfer transfer;
	const struct words *near;
	struct words buffer;

	if (!op)
		return SPIN_FAIL;
	switch (*op) {
	case 0: /* within the state */
		spin_copy(p, &state->to, &state->from, sizeof(state->to));
		return SPIN_SUCCESS;
	case 1: /* one word */
		spin_copy(p, &state->one, &state->from.word[3], 4);
		return SPIN_SUCCESS;
	case 2: /* through a local variable */
		spin_copy_nb(p, &buffer, &state->from, sizeof(buffer), &transfer);
		spin_copy_wait(p, &transfer);
		buffer.word[1] += 1000;
		spin_copy_nb(p, &state->to, &buffer, sizeof(buffer), &transfer);
		SPIN_WHILE(p, !spin_copy_test(p, &transfer))
			spin_yield(p);
		return SPIN_SUCCESS;
	case 3: /* fetched */
		near = SPIN_FETCH(p, &state->from, &buffer);
		state->first = near->word[0];
		state->last = *SPIN_FETCHED(&state->from.word[WORDS - 1], &state->from, near);
		return SPIN_SUCCESS;
	case 4: /* to memory of the cluster */
		spin_copy(p, &SPIN_LOCAL(p, words)->word[8], &state->from.word[0], 8 * sizeof(uint32_t));
		return SPIN_SUCCESS;
	case 5: /* and from there */
		spin_copy(p, &state->to.word[20], &SPIN_LOCAL(p, words)->word[8], 8 * sizeof(uint32_t));
		return SPIN_SUCCESS;
	case 6: /* 83 words, more than the verifier checks word by word */
		spin_copy(p, &state->many[1], &state->from, 2 * sizeof(state->from) + 3 * sizeof(uint32_t));
		return SPIN_SUCCESS;
	}
	return SPIN_DROP;
}

SPIN_HANDLERS(act_copy, .payload = act_copy_payload);
