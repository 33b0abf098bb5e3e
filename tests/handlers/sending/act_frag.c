/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_frag - messages with a user header of 8 bytes whose payload handlers get multiples of 8 bytes (.fragmentation_bytes); `unaligned`
 * must stay 0. A payload whose first byte is 1 is dropped, one with 2 fails. For tests/vectors/actions.
 */
#include <spin/spin.h>

struct pieces {
	uint32_t packets, bytes, unaligned;
	uint32_t completions, dropped; /* of the last message */
};
SPIN_STATE(struct pieces);

static enum spin_payload_rc act_frag_payload(struct spin_payload *p, struct pieces *state)
{
	const uint8_t *what = SPIN_GET(p, 0, uint8_t);

	spin_add32(&state->packets, 1);
	spin_add32(&state->bytes, p->length);
	if (p->offset % 8 || p->length % 8)
		spin_add32(&state->unaligned, 1);
	if (!what)
		return SPIN_SEGV;
	return *what == 1 ? SPIN_DROP : *what == 2 ? SPIN_FAIL : SPIN_SUCCESS;
}

static enum spin_completion_rc act_frag_completion(uint32_t dropped_bytes, _Bool flow_control_triggered, struct pieces *state)
{
	(void)flow_control_triggered;
	spin_add32(&state->completions, 1);
	spin_store32(&state->dropped, dropped_bytes);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(act_frag, .payload = act_frag_payload, .completion = act_frag_completion, .delivery = SPIN_DELIVER_ME,
	      .fragmentation_bytes = 8, .user_header_bytes = 8);
