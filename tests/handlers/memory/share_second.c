/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * share_second - share_first.c for messages: counts packets and adds to the same sum (share.h), in a larger state that begins with the
 * shared part. For tests/live/hpu_memory_is_shared.c.
 */
#include <spin/spin.h>

#include "share.h"

struct mine {
	struct shared shared;
	uint32_t messages, unused[2000]; /* uses more pages than share_first */
};

SPIN_STATE(struct mine, .shared = { .step = 2000 });

static enum spin_payload_rc share_second_payload(struct spin_payload *p, struct mine *state)
{
	(void)p;
	spin_add32(&state->shared.second, 1);
	spin_add32(&state->shared.both, spin_load32(&state->shared.step));
	return SPIN_SUCCESS;
}

static enum spin_completion_rc share_second_completion(uint32_t dropped_bytes, _Bool flow_control_triggered, struct mine *state)
{
	(void)dropped_bytes;
	(void)flow_control_triggered;
	spin_add32(&state->messages, 1);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(share_second, .payload = share_second_payload, .completion = share_second_completion, .delivery = SPIN_DELIVER_ME);
