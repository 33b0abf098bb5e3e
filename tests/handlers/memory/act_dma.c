/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* act_dma - messages whose packets select a DMA transfer and the handler that does it (act_dma.h). For tests/vectors/actions_dma. */
#include <spin/spin.h>

#include "act_dma.h"

SPIN_STATE(struct act_dma_state);

struct act_dma_scratch {
	uint32_t words[4];
	struct act_dma_ask ask; /* for the completion handler */
};
SPIN_SCRATCHPAD(struct act_dma_scratch);

static enum spin_header_rc act_dma_header(struct spin_header *h, struct act_dma_state *state)
{
	const struct act_dma_ask *ask = SPIN_GET(h, 0, struct act_dma_ask);
	int err = 0;

	if (!ask || ask->when != ACT_IN_HEADER)
		return SPIN_HEADER_PROCESS_DATA;
	if (ask->op == ACT_TO_HOST)
		err = spin_dma_to_host(h, ACT_SPACE(ask), ask->at, state->words, 8);
	else if (ask->op == ACT_FROM_HOST)
		err = spin_dma_from_host(h, ACT_SPACE(ask), ask->at, state->words, 8);
	return err ? SPIN_HEADER_SEGV : (enum spin_header_rc)ask->rc;
}

static enum spin_payload_rc act_dma_payload(struct spin_payload *p, struct act_dma_state *state)
{
	const struct act_dma_ask *ask = SPIN_GET(p, 0, struct act_dma_ask);
	struct act_dma_scratch *scratch = SPIN_SCRATCH(p);
	uint8_t rc;

	if (!ask || ask->when == ACT_IN_HEADER)
		return SPIN_SUCCESS;
	if (ask->when == ACT_IN_COMPLETION) {
		scratch->ask = *ask;
		return SPIN_SUCCESS;
	}
	rc = ask->rc;
	if (ask->op == ACT_SCRATCH_FROM_HOST)
		return spin_dma_from_host(p, ACT_SPACE(ask), ask->at, scratch->words, 16) ? SPIN_SEGV : (enum spin_payload_rc)rc;
	if (ask->op == ACT_SCRATCH_TO_HOST)
		return spin_dma_to_host(p, ACT_SPACE(ask), ask->at, scratch->words, 16) ? SPIN_SEGV : (enum spin_payload_rc)rc;
	if (ask->op == ACT_STACK_TO_HOST)
		return act_stack_to_host(p, ask) ? SPIN_SEGV : (enum spin_payload_rc)rc;
	if (ask->op == ACT_STACK_FROM_HOST)
		return act_stack_from_host(p, ask, state) ? SPIN_SEGV : (enum spin_payload_rc)rc;
	return act_dma(p, ask, state) ? SPIN_SEGV : (enum spin_payload_rc)rc;
}

static enum spin_completion_rc act_dma_completion(struct spin_completion *c, struct act_dma_state *state)
{
	const struct act_dma_ask *ask = &SPIN_SCRATCH(c)->ask;
	int err = 0;

	if (ask->when != ACT_IN_COMPLETION)
		return SPIN_COMPLETION_SUCCESS;
	if (ask->op == ACT_TO_HOST)
		err = spin_dma_to_host(c, ACT_SPACE(ask), ask->at, state->words, 8);
	else if (ask->op == ACT_FROM_HOST)
		err = spin_dma_from_host(c, ACT_SPACE(ask), ask->at, state->words, 8);
	return err ? SPIN_COMPLETION_SEGV : (enum spin_completion_rc)ask->rc;
}

SPIN_HANDLERS(act_dma, .header = act_dma_header, .payload = act_dma_payload, .message_completion = act_dma_completion,
	      .delivery = SPIN_DELIVER_ME);
