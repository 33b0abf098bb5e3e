/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_request_use - accepts gets and atomics with a user header of 8 bytes, which the payload handler does not get; it counts packets and
 * bytes. For tests/vectors/entries.
 */
#include <spin/spin.h>

struct given {
	uint32_t packets, bytes;
};
SPIN_STATE(struct given);
SPIN_PUTS(1);

static enum spin_payload_rc act_request_user_payload(struct spin_payload *p, struct given *given)
{
	spin_add32(&given->packets, 1);
	spin_add32(&given->bytes, p->length);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(act_request_use, .payload = act_request_user_payload, .user_header_bytes = 8, .delivery = SPIN_DELIVER_ME,
	      .takes = SPIN_TAKES_GET | SPIN_TAKES_ATOMIC);
