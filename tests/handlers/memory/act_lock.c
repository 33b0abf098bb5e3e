/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_lock - messages whose packets select a loop or a lock, and the handler that uses it (act_lock.h). For tests/vectors/actions_memory.
 */
#include <spin/spin.h>

#include "act_lock.h"

SPIN_STATE(struct act_lock_state);

struct act_lock_scratch {
	struct act_lock_ask ask; /* for the completion handler */
	uint32_t unused;
};
SPIN_SCRATCHPAD(struct act_lock_scratch);

static enum spin_header_rc act_lock_header(struct spin_header *h, struct act_lock_state *state)
{
	const struct act_lock_ask *ask = SPIN_GET(h, 0, struct act_lock_ask);
	uint32_t n;

	if (!ask || ask->when != 1)
		return SPIN_HEADER_PROCESS_DATA;
	n = ask->n;
	if (ask->op == ACT_WHILE)
		ACT_ROUNDS(h, state, n);
	else SPIN_LOCKED(h, &state->lock)
		state->rounds++;
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc act_lock_payload(struct spin_payload *p, struct act_lock_state *state)
{
	const struct act_lock_ask *ask = SPIN_GET(p, 0, struct act_lock_ask);

	if (!ask || ask->when == 1)
		return SPIN_SUCCESS;
	if (ask->when == 2) {
		SPIN_SCRATCH(p)->ask = *ask;
		return SPIN_SUCCESS;
	}
	return act_lock(p, ask, state);
}

static enum spin_completion_rc act_lock_completion(struct spin_completion *c, struct act_lock_state *state)
{
	const struct act_lock_ask *ask = &SPIN_SCRATCH(c)->ask;
	uint32_t n = ask->n;

	if (ask->when != 2)
		return SPIN_COMPLETION_SUCCESS;
	if (ask->op == ACT_WHILE)
		ACT_ROUNDS(c, state, n);
	else SPIN_LOCKED(c, &state->lock)
		state->rounds++;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(act_lock, .header = act_lock_header, .payload = act_lock_payload, .message_completion = act_lock_completion,
	      .delivery = SPIN_DELIVER_ME, .budget = ACT_BUDGET);
