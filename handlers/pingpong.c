/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pingpong - sends every packet back to its source (PsPIN 4.2.2; sPIN C.3.1, stream mode)
 *
 * Payload handlers return each packet unchanged, while others of its message are still in transit. The message_id, the
 * offset and the flags are kept, so the sender gets the same message back, either in its own context that takes messages
 * or on a plain socket.
 *
 * A packet is sent back once. A duplicate is acknowledged and not returned. A sender that misses a packet must send
 * another message.
 */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_PUTS(1);

static enum spin_payload_rc pingpong_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	struct spin_process source = spin_source(p);

	if (spin_forward(p, &source))
		return SPIN_SEGV; /* longer than a handler may send */
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(pingpong,
	      .payload = pingpong_payload,
	      .delivery = SPIN_DELIVER_ME);
