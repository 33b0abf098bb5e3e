/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_request_par - accepts gets and atomics (messages that read or change host memory) in pieces of 8 bytes; the payload handler counts
 * packets and bytes. An atomic or put of less than a piece is dropped before the handler runs. For tests/vectors/entries.
 */
#include <spin/spin.h>

struct given {
	uint32_t packets, bytes;
};
SPIN_STATE(struct given);
SPIN_PUTS(1);

static enum spin_payload_rc act_request_part_payload(struct spin_payload *p, struct given *given)
{
	spin_add32(&given->packets, 1);
	spin_add32(&given->bytes, p->length);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(act_request_par, .payload = act_request_part_payload, .fragmentation_bytes = 8, .delivery = SPIN_DELIVER_ME,
	      .takes = SPIN_TAKES_GET | SPIN_TAKES_ATOMIC);
