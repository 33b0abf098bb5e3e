/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler, compared with baselines/message_copy.c by tests/model/message_wrapper_costs_at_most_5.c: writes each packet of a message to
 * its offset in host memory by DMA, and counts in the message's scratchpad.
 */
#include <spin/spin.h>

struct progress {
	uint32_t packets, bytes;
};
SPIN_SCRATCHPAD(struct progress);
SPIN_NO_STATE;

static enum spin_payload_rc message_copy_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	struct progress *progress = SPIN_SCRATCH(p);

	if (spin_payload_to_host(p, SPIN_ME_MEM, p->offset, 0, p->length))
		return SPIN_SEGV;
	spin_add32(&progress->packets, 1);
	spin_add32(&progress->bytes, p->length);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(message_copy, .payload = message_copy_payload, .delivery = SPIN_DELIVER_ME, .bytes_in_l1 = SPIN_HEADERS_ONLY);
