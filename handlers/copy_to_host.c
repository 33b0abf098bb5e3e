/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * copy_to_host - a message's bytes go to host memory (PsPIN 4.3, "Data movement")
 *
 * Every packet's payload is copied to its place in the matching entry's memory, as it
 * comes and in whatever order packets come. With the message's event all of it is there.
 * This is what the default action does, too: done by a handler, which costs on the HPU
 * one DMA command per packet.
 */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc copy_to_host_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	if (spin_payload_to_host(p, SPIN_ME_MEM, p->offset, 0, p->length))
		return SPIN_SEGV; /* longer than the entry's memory */
	return SPIN_SUCCESS;
}

/* The payload is moved, not looked at: it stays in L2. */
SPIN_HANDLERS(copy_to_host,
	      .payload = copy_to_host_payload,
	      .bytes_in_l1 = SPIN_HEADERS_ONLY,
	      .delivery = SPIN_DELIVER_ME);
