/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* msg_header_only - accepts messages by their first byte; without a payload handler the NIC writes them. For tests/vectors. */
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
