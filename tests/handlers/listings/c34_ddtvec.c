/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * c34_ddtvec - sPIN's listing C.3.4: writes a message to host memory in blocks of vlen bytes, at offsets vlen + stride apart (a strided
 * datatype). A packet may begin and end in the middle of a block. For tests/vectors/listings.
 *
 * handlers/strided_ddt.c does the same with one division less per block.
 */
#include <spin/spin.h>

struct ddtvec_info {
	uint32_t offset;
	uint32_t vlen;
	uint32_t stride;
};
SPIN_STATE(struct ddtvec_info, .vlen = 64, .stride = 64);

static enum spin_payload_rc ddtvec_payload_handler(struct spin_payload *p, struct ddtvec_info *i)
{
	uint32_t vlen = i->vlen, at = i->offset + p->offset, first_seg_num, last_seg_num, offset_in_packet = 0;

	if (!vlen)
		return SPIN_FAIL;
	first_seg_num = at / vlen;              /* rounded down implicitly */
	last_seg_num = (at + p->length) / vlen; /* rounded down implicitly */
	SPIN_FOR(p, j, first_seg_num, last_seg_num + 1) {
		uint32_t offset_in_block = (at + offset_in_packet) % vlen;
		uint32_t offset = j * (vlen + i->stride) + offset_in_block;
		uint32_t size =
			vlen - offset_in_block < p->length - offset_in_packet ? vlen - offset_in_block : p->length - offset_in_packet;

		if (spin_payload_to_host(p, SPIN_ME_MEM, offset, offset_in_packet, size))
			return SPIN_SEGV;
		offset_in_packet += size;
	}
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(c34_ddtvec, .payload = ddtvec_payload_handler, .delivery = SPIN_DELIVER_ME);
