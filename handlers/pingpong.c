/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pingpong - every packet goes back to where it came from (PsPIN 4.2.2; sPIN C.3.1, stream mode)
 *
 * Payload handlers send each packet back as it came, while others of its message are still on their way.
 * Message_id, offset and flags stay, so what comes back is the message again: to a context of the sender's that
 * takes messages, or to a plain socket.
 *
 * What is sent back is sent once, and a packet that comes again is not a ping: it is acknowledged, and that is all.
 * A sender that misses a pong sends another message.
 */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_PUTS(1);

static enum spin_payload_rc pingpong_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	struct spin_process source = spin_source(p);

	if (spin_forward(p, &source))
		return SPIN_SEGV; /* longer than packets that handlers send */
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(pingpong,
	      .payload = pingpong_payload,
	      .delivery = SPIN_DELIVER_ME);
