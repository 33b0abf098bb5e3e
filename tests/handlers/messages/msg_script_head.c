/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_script_head - msg_script.h without a payload handler, with the state in L1: data that the header handler accepts goes to host memory.
 * For tests/messages/fuzz_wire.c, and for the random packet sequences of tests/reference/schedule.c.
 */
#include <spin/spin.h>

#include "msg_script.h"

static enum spin_header_rc msg_script_head_header(struct spin_header *h, struct script_state *state)
{
	return script_header(h, state);
}

static enum spin_completion_rc msg_script_head_completion(struct spin_completion *c, struct script_state *state)
{
	return script_completion(c, state);
}

SPIN_HANDLERS(msg_script_head, .header = msg_script_head_header, .message_completion = msg_script_head_completion,
	      .delivery = SPIN_DELIVER_ME, .state_placement = SPIN_STATE_IN_L1);
