/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * c35_parity - sPIN's listing C.3.5, parity server: adds an update to the parity by exclusive or, and informs its data server which client
 * to acknowledge. For tests/vectors/listings.
 */
#include <spin/spin.h>

#include "c35_raid.h"

struct parity_info {
	struct spin_process source;
	uint64_t client;
	uint32_t offset, unused;
};
SPIN_STATE(struct parity_info);
SPIN_PUTS(1);

SPIN_BUFFER(uint32_t, buf, 512);

static enum spin_header_rc parity_update_header_handler(struct spin_header *h, struct parity_info *i)
{
	i->source = spin_source(h);
	i->client = h->hdr_data; /* set by c35_write; the listing reads it from the user header, which is never sent */
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc parity_update_payload_handler(struct spin_payload *p, struct parity_info *i)
{
	if (spin_buffer_from_host(p, SPIN_ME_MEM, i->offset + p->offset, buf, 0, p->length))
		return SPIN_SEGV;
	SPIN_FOR_EACH_WITH(p, uint32_t, data, SPIN_BUFFER_OF(p, buf), 0, b)
		*b = *b ^ *data;
	return spin_buffer_to_host(p, SPIN_ME_MEM, i->offset + p->offset, buf, 0, p->length) ? SPIN_SEGV : SPIN_SUCCESS;
}

static enum spin_completion_rc parity_update_completion_handler(struct spin_completion *c, struct parity_info *i)
{
	uint32_t reply = SPIN_RC_SUCCESS;

	return spin_put_from_device(c, &reply, sizeof(reply),
				    &(struct spin_put){ .target = i->source, .match_bits = 30, .hdr_data = i->client })
		       ? SPIN_COMPLETION_SEGV
		       : SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(c35_parity, .header = parity_update_header_handler, .payload = parity_update_payload_handler,
	      .message_completion = parity_update_completion_handler, .fragmentation_bytes = sizeof(uint32_t), .delivery = SPIN_DELIVER_ME);
