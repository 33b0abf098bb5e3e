/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* msg_script - messages with all three handlers, which do what the packets say (msg_script.h). For tests/messages, tests/reference. */
#include <spin/spin.h>

#include "msg_script.h"

static enum spin_header_rc msg_script_header(struct spin_header *h, struct script_state *state)
{
	return script_header(h, state);
}

static enum spin_payload_rc msg_script_payload(struct spin_payload *p, struct script_state *state)
{
	return script_payload(p, state);
}

static enum spin_completion_rc msg_script_completion(struct spin_completion *c, struct script_state *state)
{
	return script_completion(c, state);
}

SPIN_HANDLERS(msg_script, .header = msg_script_header, .payload = msg_script_payload, .message_completion = msg_script_completion,
	      .delivery = SPIN_DELIVER_ME);
