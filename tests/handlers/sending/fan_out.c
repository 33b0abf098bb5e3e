/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fan_out - sends `count` packets for each datagram, at most 16: the i-th has `bytes` bytes from the datagram's i-th word on, and goes back
 * to the source or, if they are set, to the next of four targets. Then it replies, passes or drops. For tests/live/handlers_send_packets.c,
 * tests/ring and tests/stress (tests/common/net/echo_test.h).
 */
#include <spin/spin.h>

#include "fan_out.h"

SPIN_PUTS(16);

SPIN_STATE(struct fan_out);

static enum spin_payload_rc fan_out_payload(struct spin_payload *p, struct fan_out *state)
{
	const uint32_t count = state->count, bytes = state->bytes;
	struct spin_put put = { .target = spin_source(p) };

	for (uint32_t i = 0; i < 16 && i < count; i++) {
		if (state->target[0])
			put.target.addr[0] = state->target[i & (FAN_OUT_TARGETS - 1)];
		if (spin_put_payload(p, 4 * i, bytes, &put))
			return SPIN_SEGV;
	}
	if (state->answer == FAN_OUT_REPLY)
		return spin_reply(p, 4);
	return state->answer == FAN_OUT_PASS ? SPIN_SUCCESS : SPIN_DROP;
}

SPIN_HANDLERS(fan_out, .payload = fan_out_payload);
