/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_fan - puts each packet's first bytes up to three times to different targets, and sends a put from host memory when the message ends.
 * For tests/live/handlers_put_messages.c (tests/common/put_test.c).
 */
#include <spin/spin.h>

#include "fan_out.h"

SPIN_PUTS(4);

SPIN_STATE(struct fan_out);

static enum spin_payload_rc msg_fan_payload(struct spin_payload *p, struct fan_out *state)
{
	const uint32_t count = state->count, bytes = state->bytes;
	struct spin_put put = { .target = spin_source(p) };

	put.target.port = state->port;
	for (uint32_t i = 0; i < 3 && i < count; i++) {
		if (state->target[0])
			put.target.addr[0] = state->target[i];
		put.match_bits = i;
		put.remote_offset = 1 << 20; /* after what is put from host memory */
		if (spin_put_payload(p, 0, bytes, &put))
			return SPIN_SEGV;
	}
	return SPIN_SUCCESS;
}

static enum spin_completion_rc msg_fan_completion(struct spin_completion *c, struct fan_out *state)
{
	struct spin_put put = { .target = spin_source(c), .match_bits = 99, .hdr_data = 7 };

	put.target.port = state->port;
	if (state->target[0])
		put.target.addr[0] = state->target[3];
	if (state->host_bytes && spin_put_from_host(c, 0, state->host_bytes, &put))
		return SPIN_COMPLETION_SEGV;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(msg_fan, .payload = msg_fan_payload, .message_completion = msg_fan_completion, .delivery = SPIN_DELIVER_ME);
