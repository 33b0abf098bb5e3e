/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_copy - copies every packet's payload to its offset in the message's place in host memory, by DMA, and counts. For tests/transfer,
 * tests/live, tests/messages and tests/vectors.
 */
#include <spin/spin.h>

struct copied {
	uint32_t headers, packets, bytes, completions, dropped_bytes, flow_control;
};
SPIN_STATE(struct copied);

static enum spin_header_rc copy_header(struct spin_header *h, struct copied *state)
{
	(void)h;
	spin_add32(&state->headers, 1);
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc copy_payload(struct spin_payload *p, struct copied *state)
{
	spin_add32(&state->packets, 1);
	spin_add32(&state->bytes, p->length);
	return spin_payload_to_host(p, SPIN_ME_MEM, p->offset, 0, p->length) ? SPIN_SEGV : SPIN_SUCCESS;
}

static enum spin_completion_rc copy_completion(uint32_t dropped_bytes, _Bool flow_control_triggered, struct copied *state)
{
	spin_add32(&state->completions, 1);
	spin_add32(&state->dropped_bytes, dropped_bytes);
	spin_add32(&state->flow_control, flow_control_triggered);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(msg_copy, .header = copy_header, .payload = copy_payload, .completion = copy_completion, .delivery = SPIN_DELIVER_ME);
