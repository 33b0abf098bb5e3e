/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * returns - every handler returns the code that the packet contains, and records when it ran and its arguments. A packet without a payload
 * uses the codes of the previous one. For tests/vectors/returns, parse and rules, and for tests/ring.
 */
#include <spin/spin.h>

struct ask {
	uint8_t header, payload, completion, unused;
};

struct trace {
	uint32_t order; /* a hex digit per handler run: 1 header, 2 payload, 3 completion */
	uint32_t header_rc, completion_rc;
	uint32_t header_length, payload_length, offset;
	uint32_t dropped_bytes, flow_control;
	uint32_t messages;
};

SPIN_STATE(struct trace, .header_rc = SPIN_HEADER_PROCESS_DATA);

static enum spin_header_rc returns_header(struct spin_header *h, struct trace *state)
{
	const struct ask *ask = SPIN_GET(h, 0, struct ask);

	state->order = state->order << 4 | 1;
	state->header_length = h->length;
	state->messages++;
	if (ask) {
		state->header_rc = ask->header;
		state->completion_rc = ask->completion;
	}
	return (enum spin_header_rc)state->header_rc;
}

static enum spin_payload_rc returns_payload(struct spin_payload *p, struct trace *state)
{
	const struct ask *ask = SPIN_GET(p, 0, struct ask);

	state->order = state->order << 4 | 2;
	state->payload_length = p->length;
	state->offset = p->offset;
	return ask ? (enum spin_payload_rc)ask->payload : SPIN_SUCCESS;
}

static enum spin_completion_rc returns_completion(uint32_t dropped_bytes, _Bool flow_control_triggered, struct trace *state)
{
	state->order = state->order << 4 | 3;
	state->dropped_bytes = dropped_bytes;
	state->flow_control += flow_control_triggered;
	return (enum spin_completion_rc)state->completion_rc;
}

SPIN_HANDLERS(returns, .header = returns_header, .payload = returns_payload, .completion = returns_completion);
