/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_no_header - messages without a header handler: each packet must reach the payload handler, which returns the packet's first byte as
 * its code. Records the order of runs and the bytes dropped. For tests/vectors/payload_returns.
 */
#include <spin/spin.h>

struct runs {
	uint32_t order; /* as in msg_returns */
	uint32_t dropped_bytes;
};
SPIN_STATE(struct runs);

static enum spin_payload_rc no_header_payload(struct spin_payload *p, struct runs *state)
{
	const uint8_t *code = SPIN_GET(p, 0, uint8_t);

	state->order = state->order << 4 | 2;
	return code ? (enum spin_payload_rc) * code : SPIN_SUCCESS;
}

static enum spin_completion_rc no_header_completion(uint32_t dropped_bytes, _Bool flow_control_triggered, struct runs *state)
{
	(void)flow_control_triggered;
	state->order = state->order << 4 | 3;
	state->dropped_bytes = dropped_bytes;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(msg_no_header, .payload = no_header_payload, .completion = no_header_completion, .delivery = SPIN_DELIVER_ME);
