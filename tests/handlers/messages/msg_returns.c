/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_returns - handlers of messages return the code that the packet contains, and record when they ran and their arguments. The first
 * packet has the codes of the header and completion handlers, each packet that of its payload handler. For tests/vectors (entries,
 * header_returns, lifetimes, messages, message_headers, payload_returns) and tests/messages.
 */
#include <spin/spin.h>

struct ask {
	uint8_t header, payload, completion, unused;
};

struct trace {
	uint32_t order; /* a hex digit per handler run, for the last eight: 1 header, 2 payload, 3 completion */
	uint32_t completion_rc;
	uint32_t length, offset; /* of the header handler */
	uint64_t match_bits, hdr_data;
	uint32_t payload_length, payload_offset, payload_bytes; /* of the last packet; payload_bytes: of all */
	uint32_t dropped_bytes, flow_control;                   /* of the last message */
};

SPIN_STATE(struct trace);

static enum spin_header_rc msg_header(struct spin_header *h, struct trace *state)
{
	const struct ask *ask = SPIN_GET(h, 0, struct ask);

	state->order = state->order << 4 | 1;
	state->length = h->length;
	state->offset = h->offset;
	state->match_bits = h->match_bits;
	state->hdr_data = h->hdr_data;
	state->completion_rc = ask ? ask->completion : SPIN_COMPLETION_SUCCESS;
	return ask ? (enum spin_header_rc)ask->header : SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc msg_payload(struct spin_payload *p, struct trace *state)
{
	const struct ask *ask = SPIN_GET(p, 0, struct ask);

	state->order = state->order << 4 | 2;
	state->payload_length = p->length;
	state->payload_offset = p->offset;
	state->payload_bytes += p->length;
	return ask ? (enum spin_payload_rc)ask->payload : SPIN_SUCCESS;
}

static enum spin_completion_rc msg_completion(uint32_t dropped_bytes, _Bool flow_control_triggered, struct trace *state)
{
	state->order = state->order << 4 | 3;
	state->dropped_bytes = dropped_bytes;
	state->flow_control = flow_control_triggered;
	return (enum spin_completion_rc)state->completion_rc;
}

SPIN_HANDLERS(msg_returns, .header = msg_header, .payload = msg_payload, .completion = msg_completion, .delivery = SPIN_DELIVER_ME);
