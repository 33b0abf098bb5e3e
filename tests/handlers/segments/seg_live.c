/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_live - counts connections of the kernel's TCP, their payloads and ends, for tests/segments and tests/bench/streams.c. Those from the
 * source port `watched` are also counted on their own, because a flood of others would hide them. One payload in `drop_every` is dropped:
 * TCP must send it again.
 */
#include <spin/spin.h>

#include "seg_live.h"

SPIN_STATE(struct seg_live);

static enum spin_header_rc seg_live_header(struct spin_header *h, struct seg_live *state)
{
	spin_add32(&state->begun, 1);
	if (spin_ntoh16(spin_src_port(h)) == state->watched)
		spin_add32(&state->watched_begun, 1);
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc seg_live_payload(struct spin_payload *p, struct seg_live *state)
{
	const uint32_t number = spin_fadd32(&state->payloads, 1);
	uint32_t every = state->drop_every;

	(void)p;
#ifdef SEG_LIVE_MOVED
	spin_add32(&state->moved, 1);
#endif
	if (!every || number % every)
		return SPIN_SUCCESS;
	spin_add32(&state->dropped, 1);
	return SPIN_DROP;
}

static enum spin_completion_rc seg_live_completion(struct spin_completion *c, struct seg_live *state)
{
	spin_add32(&state->ended, 1);
	spin_add32(&state->length, c->length);
	spin_add32(&state->dropped_bytes, c->dropped_bytes);
	if (spin_tcp_flags(c) & SPIN_TCP_RST)
		spin_add32(&state->resets, 1);
	if (spin_ntoh16(spin_src_port(c)) == state->watched) {
		spin_add32(&state->watched_ended, 1);
		spin_add32(&state->watched_length, c->length);
	}
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(seg_live, .header = seg_live_header, .payload = seg_live_payload, .message_completion = seg_live_completion,
	      .delivery = SPIN_DELIVER_SEGMENTS);
