/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_scratch - each message counts in its scratchpad. The completion handler writes the scratchpad and its arguments to host memory by
 * DMA. The header handler starts with the initial scratchpad, which must be zero. For tests/vectors/messages.
 */
#include <spin/spin.h>

struct tally {
	uint32_t headers, packets, bytes, offsets;
	uint32_t length, dropped_bytes, flow_control, first_offset;
};

struct total {
	uint32_t messages, outside; /* outside: the tally did not fit */
};

SPIN_STATE(struct total);
SPIN_SCRATCHPAD(struct tally);

static enum spin_header_rc scratch_header(struct spin_header *h, struct total *state)
{
	struct tally *tally = SPIN_SCRATCH(h);

	(void)state;
	tally->headers++;
	tally->first_offset = h->offset;
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc scratch_payload(struct spin_payload *p, struct total *state)
{
	struct tally *tally = SPIN_SCRATCH(p);

	(void)state;
	spin_add32(&tally->packets, 1);
	spin_add32(&tally->bytes, p->length);
	spin_add32(&tally->offsets, p->offset);
	return SPIN_SUCCESS;
}

static enum spin_completion_rc scratch_completion(struct spin_completion *c, struct total *state)
{
	struct tally *tally = SPIN_SCRATCH(c);

	tally->length = c->length;
	tally->dropped_bytes = c->dropped_bytes;
	tally->flow_control = c->flow_control_triggered;
	spin_add32(&state->messages, 1);
	if (!spin_dma_to_host(c, SPIN_ME_MEM, 0, tally, sizeof(*tally)))
		return SPIN_COMPLETION_SUCCESS;
	spin_add32(&state->outside, 1);
	return SPIN_COMPLETION_SEGV;
}

SPIN_HANDLERS(msg_scratch, .header = scratch_header, .payload = scratch_payload, .message_completion = scratch_completion,
	      .delivery = SPIN_DELIVER_ME);
