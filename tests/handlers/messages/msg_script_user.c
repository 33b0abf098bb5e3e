/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_script_user - msg_script.h with a user header, the message's first 8 bytes, for the header handler only. For the random packet
 * sequences of tests/reference/schedule.c.
 */
#include <spin/spin.h>

#include "msg_script.h"

static enum spin_header_rc msg_script_user_header(struct spin_header *h, struct script_state *state)
{
	return script_header(h, state);
}

static enum spin_payload_rc msg_script_user_payload(struct spin_payload *p, struct script_state *state)
{
	return script_payload(p, state);
}

static enum spin_completion_rc msg_script_user_completion(struct spin_completion *c, struct script_state *state)
{
	return script_completion(c, state);
}

SPIN_HANDLERS(msg_script_user, .header = msg_script_user_header, .payload = msg_script_user_payload,
	      .message_completion = msg_script_user_completion, .delivery = SPIN_DELIVER_ME, .user_header_bytes = SCRIPT_USER_HEADER);
