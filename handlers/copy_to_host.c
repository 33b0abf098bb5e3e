/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * copy_to_host - copies a message to host memory (PsPIN 4.3, "Data movement")
 *
 * Copies each packet's payload to its offset in the matching entry's memory, which the host has posted, in
 * whatever order the packets arrive. When the host gets the message's event, all bytes are there. The default
 * action has the same result. Here a handler does it, run for each packet, which costs one DMA command per packet
 * on the HPU.
 */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc copy_to_host_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	if (spin_payload_to_host(p, SPIN_ME_MEM, p->offset, 0, p->length))
		return SPIN_SEGV; /* beyond the end of the entry's memory */
	return SPIN_SUCCESS;
}

/* The handler does not read the payload, so it stays in L2. */
SPIN_HANDLERS(copy_to_host,
	      .payload = copy_to_host_payload,
	      .bytes_in_l1 = SPIN_HEADERS_ONLY,
	      .delivery = SPIN_DELIVER_ME);
