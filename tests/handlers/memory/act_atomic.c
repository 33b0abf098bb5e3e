/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* act_atomic - messages whose packets select an atomic operation (act_atomic.h). For tests/vectors/actions_dma and actions_memory. */
#include <spin/spin.h>

#include "act_atomic.h"

SPIN_STATE(struct act_atomic_state, .word = 100);

SPIN_SCRATCHPAD(struct act_atomic_ask); /* for the completion handler */

static enum spin_header_rc act_atomic_header(struct spin_header *h, struct act_atomic_state *state)
{
	const struct act_atomic_ask *ask = SPIN_GET(h, 0, struct act_atomic_ask);
	uint64_t before = 0;

	if (!ask || ask->when != 1)
		return SPIN_HEADER_PROCESS_DATA;
	if (ask->op == ACT_CT_INC)
		spin_ct_inc(h, (uint32_t)ask->a, (uint32_t)ask->b);
	else if (spin_dma_fadd64(h, ACT_SPACE(ask), ask->at, ask->a, &before))
		return SPIN_HEADER_SEGV;
	state->result = before;
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc act_atomic_payload(struct spin_payload *p, struct act_atomic_state *state)
{
	const struct act_atomic_ask *ask = SPIN_GET(p, 0, struct act_atomic_ask);

	if (!ask || ask->when == 1)
		return SPIN_SUCCESS;
	if (ask->when == 2) {
		*SPIN_SCRATCH(p) = *ask;
		return SPIN_SUCCESS;
	}
	return act_atomic(p, ask, state) ? SPIN_SEGV : SPIN_SUCCESS;
}

static enum spin_completion_rc act_atomic_completion(struct spin_completion *c, struct act_atomic_state *state)
{
	const struct act_atomic_ask *ask = SPIN_SCRATCH(c);
	uint64_t before = 0;

	if (ask->when != 2)
		return SPIN_COMPLETION_SUCCESS;
	if (ask->op == ACT_CT_INC)
		spin_ct_inc(c, (uint32_t)ask->a, (uint32_t)ask->b);
	else if (spin_dma_fadd64(c, ACT_SPACE(ask), ask->at, ask->a, &before))
		return SPIN_COMPLETION_SEGV;
	state->result = before;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(act_atomic, .header = act_atomic_header, .payload = act_atomic_payload, .message_completion = act_atomic_completion,
	      .delivery = SPIN_DELIVER_ME);
