/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_head_write - a header handler sets two bytes of the first packet to 0, and returns the code that the packet contains. Payload
 * handlers copy the payload to host memory, where these bytes must be 0. For tests/vectors/payload_returns.
 */
#include <spin/spin.h>

struct ask {
	spin_be16 code, value; /* code: returned by the header handler; value: set to 0 by it */
};

SPIN_NO_STATE;

static enum spin_header_rc header_writes(struct spin_header *h, struct spin_no_state *unused)
{
	const struct ask *ask = SPIN_GET(h, 0, struct ask);

	if (!ask)
		return SPIN_HEADER_SEGV;
	spin_set16(h, &ask->value, 0);
	return (enum spin_header_rc)spin_ntoh16(ask->code);
}

static enum spin_payload_rc payload_puts(struct spin_payload *p, struct spin_no_state *unused)
{
	return spin_payload_to_host(p, SPIN_ME_MEM, p->offset, 0, p->length) ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(msg_head_write, .header = header_writes, .payload = payload_puts, .delivery = SPIN_DELIVER_ME);
