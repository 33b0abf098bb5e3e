/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * c35_write - sPIN's listing C.3.5, data server: adds an update to the entry's memory by exclusive or, and sends the result to the parity
 * server with the client's address. For tests/vectors/listings.
 */
#include <spin/spin.h>

#include "c35_raid.h"

struct primary_info {
	struct spin_process source;
	struct spin_process parity;
	uint32_t offset;
};
SPIN_STATE(struct primary_info);
SPIN_PUTS(1);

SPIN_BUFFER(uint32_t, buf, 512);

static enum spin_header_rc primary_write_header_handler(struct spin_header *h, struct primary_info *i)
{
	i->source = spin_source(h);
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc primary_write_payload_handler(struct spin_payload *p, struct primary_info *i)
{
	if (spin_buffer_from_host(p, SPIN_ME_MEM, i->offset + p->offset, buf, 0, p->length))
		return SPIN_SEGV;
	SPIN_FOR_EACH_WITH(p, uint32_t, data, SPIN_BUFFER_OF(p, buf), 0, b)
		*b = *b ^ *data;
	if (spin_buffer_to_host(p, SPIN_ME_MEM, i->offset + p->offset, buf, 0, p->length) ||
	    spin_put_from_buffer(p, buf, 0, p->length,
				 &(struct spin_put){ .target = i->parity, .match_bits = PARITY_TAG, .hdr_data = raid_as_bits(&i->source) }))
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(c35_write, .header = primary_write_header_handler, .payload = primary_write_payload_handler,
	      .fragmentation_bytes = sizeof(uint32_t), .delivery = SPIN_DELIVER_ME);
