/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_script_pay - msg_script.h without a header handler, with the completion handler that datagrams have, and with the received checksum
 * left to the host. For the random packet sequences of tests/reference/schedule.c.
 */
#include <spin/spin.h>

#include "msg_script.h"

static enum spin_payload_rc msg_script_pay_payload(struct spin_payload *p, struct script_state *state)
{
	return script_payload(p, state);
}

static enum spin_completion_rc msg_script_pay_completion(uint32_t dropped_bytes, _Bool flow_control_triggered, struct script_state *state)
{
	script_note(state, SCRIPT_COMPLETION, 0, dropped_bytes, flow_control_triggered, 0);
	spin_add32(&state->completions, 1);
	spin_add32(&state->dropped_bytes, dropped_bytes);
	spin_add32(&state->flow_control, flow_control_triggered);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(msg_script_pay, .payload = msg_script_pay_payload, .completion = msg_script_pay_completion, .delivery = SPIN_DELIVER_ME,
	      .checksum = SPIN_CHECKSUM_HOST);
