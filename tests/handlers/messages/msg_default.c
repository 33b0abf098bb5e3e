/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_default - only a completion handler, which counts messages and dropped bytes: without a payload handler the NIC must write the
 * payload to host memory. For tests/vectors, tests/messages.
 */
#include <spin/spin.h>

struct ends {
	uint32_t messages, dropped_bytes, flow_control;
};
SPIN_STATE(struct ends);

static enum spin_completion_rc default_completion(uint32_t dropped_bytes, _Bool flow_control_triggered, struct ends *state)
{
	spin_add32(&state->messages, 1);
	spin_add32(&state->dropped_bytes, dropped_bytes);
	spin_add32(&state->flow_control, flow_control_triggered);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(msg_default, .completion = default_completion, .delivery = SPIN_DELIVER_ME);
