/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler of messages, run on the NIC model by tests/model/messages_on_the_hpu.c and others: does what each packet's first word says,
 * so that a test decides which packet fails: trap (load from address 8), loop without end, copy the payload to host memory, and so on, or
 * return a value. The completion handler stores its arguments and the sums in the scratchpad (memory of the message) in the state, where
 * the test reads them.
 */
#include <spin/spin.h>

#include "message_asks.h"

SPIN_STATE(struct results);
SPIN_SCRATCHPAD(struct pad);

static enum spin_payload_rc asks_payload(struct spin_payload *p, struct results *state)
{
	const struct asks *asks = SPIN_GET(p, 0, struct asks);
	struct pad *pad = SPIN_SCRATCH(p);

	if (!asks)
		return SPIN_DROP;
	spin_add32(&pad->sum, asks->add);
	spin_add32(&pad->last, asks->add);
	switch (asks->what) {
	case ASK_TRAP:
		return *(volatile uint32_t *)8 ? SPIN_SUCCESS : SPIN_DROP;
	case ASK_NO_END:
		while (spin_load32(&pad->sum) != asks->add - 1)
			;
		return SPIN_SUCCESS;
	case ASK_COPY:
		return spin_payload_to_host(p, SPIN_ME_MEM, p->offset, 0, p->length) ? SPIN_SEGV : SPIN_SUCCESS;
	case ASK_COPY_AND_STORE:
		if (spin_payload_to_host(p, SPIN_ME_MEM, p->offset, 0, p->length))
			return SPIN_SEGV;
		spin_set32(p, &asks->add, 0);
		return SPIN_SUCCESS;
	case ASK_STATE:
		return spin_dma_to_host(p, SPIN_ME_MEM, p->offset, pad, sizeof(*pad)) ? SPIN_SEGV : SPIN_SUCCESS;
	default:
		return asks->what;
	}
}

static enum spin_completion_rc asks_completion(struct spin_completion *c, struct results *state)
{
	struct pad *pad = SPIN_SCRATCH(c);

	state->completions++;
	state->dropped_bytes = c->dropped_bytes;
	state->flow_control = c->flow_control_triggered;
	state->length = c->length;
	state->sum = pad->sum;
	state->last = pad->last;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(message_asks, .payload = asks_payload, .message_completion = asks_completion, .delivery = SPIN_DELIVER_ME);
