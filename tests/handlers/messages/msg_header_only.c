/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_header_only - a header handler alone, which returns the message's first byte as its code. Without a payload handler the NIC writes
 * the message to host memory. For tests/vectors/header_returns and payload_returns.
 */
#include <spin/spin.h>

struct count {
	uint32_t messages;
};
SPIN_STATE(struct count);

static enum spin_header_rc only_header(struct spin_header *h, struct count *state)
{
	const uint8_t *code = SPIN_GET(h, 0, uint8_t);

	spin_add32(&state->messages, 1);
	return code ? (enum spin_header_rc) * code : SPIN_HEADER_PROCESS_DATA;
}

SPIN_HANDLERS(msg_header_only, .header = only_header, .delivery = SPIN_DELIVER_ME);
