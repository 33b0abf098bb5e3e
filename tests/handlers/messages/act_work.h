/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_ACT_WORK_H
#define TESTS_HANDLERS_ACT_WORK_H

/*
 * Handlers that post work items (records for the program) as a packet's payload says: act_work for messages, act_work_d for datagrams. At
 * most 4 items may be unread; further ones are not posted, and are counted in `full`.
 */
#include <spin/spin.h>

/* little-endian */
struct work_ask {
	uint8_t when;    /* 1: the header handler posts words[0]; 2: the payload handler posts; 4: the completion handler posts words[0] */
	uint8_t size;    /* payload handler's item: 8 or 32 bytes of the state's words */
	uint8_t count;   /* payload handler's items of 8 bytes, at most 6, each with words[0] one higher. Of 32 bytes it posts one */
	uint8_t to_host; /* 1: first copies the words to the handler's host memory */
	uint32_t words[8];
};

struct work_state {
	uint32_t words[8];
	uint32_t full;     /* number of calls that returned SPIN_WORK_FULL */
	uint32_t complete; /* the completion handler must post an item */
};
SPIN_STATE(struct work_state);

SPIN_WORK(4);

SPIN_INLINE enum spin_header_rc work_header(struct spin_header *h, struct work_state *state)
{
	const struct work_ask *ask = SPIN_GET(h, 0, struct work_ask);

	if (ask && ask->when & 1) {
		uint32_t word = ask->words[0];

		state->full += spin_work(h, &word, sizeof(word)) == SPIN_WORK_FULL;
	}
	return SPIN_HEADER_PROCESS_DATA;
}

SPIN_INLINE void work_item(struct spin_payload *p, struct work_state *state)
{
	state->full += spin_work(p, state->words, 8) == SPIN_WORK_FULL;
	state->words[0]++;
}

SPIN_INLINE enum spin_payload_rc work_payload(struct spin_payload *p, struct work_state *state)
{
	const struct work_ask *ask = SPIN_GET(p, 0, struct work_ask);
	uint32_t size, count;

	if (!ask)
		return SPIN_FAIL;
	size = ask->size;
	count = ask->when & 2 ? ask->count : 0;
	state->complete = ask->when & 4;
	for (uint32_t i = 0; i < 8; i++)
		state->words[i] = ask->words[i];
	if (ask->to_host && spin_dma_to_host(p, SPIN_HANDLER_MEM, 0, state->words, 32))
		return SPIN_SEGV;
	if (size == 32) {
		state->full += count && spin_work(p, state->words, 32) == SPIN_WORK_FULL;
		return SPIN_SUCCESS;
	}
	/* unrolled: kernels before 6.9 verify each iteration of a loop */
	if (count > 0)
		work_item(p, state);
	if (count > 1)
		work_item(p, state);
	if (count > 2)
		work_item(p, state);
	if (count > 3)
		work_item(p, state);
	if (count > 4)
		work_item(p, state);
	if (count > 5)
		work_item(p, state);
	return SPIN_SUCCESS;
}

SPIN_INLINE enum spin_completion_rc work_completion(struct spin_completion *c, struct work_state *state)
{
	if (state->complete)
		state->full += spin_work(c, state->words, 4) == SPIN_WORK_FULL;
	state->complete = 0;
	return SPIN_COMPLETION_SUCCESS;
}

#endif
