/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * strided_ddt - scatters a message into host memory by a layout (PsPIN 4.3, "Scatter"; sPIN 5.2, C.3.4)
 *
 * The layout is MPI's vector datatype: the message consists of consecutive blocks of block_bytes, and block i is written to the matching
 * entry's memory, which the host posts, at i * stride_bytes, for example as a column of a matrix. A packet's place follows from its offset,
 * so packets may arrive in any order, and may begin and end within blocks. Each piece of a block is one DMA command; the host copies
 * nothing. The application must write the layout before the message arrives.
 *
 * An invalid layout fails. A block beyond the entry's end is not written, but the blocks before it are.
 */
#include <spin/spin.h>

struct strided_ddt {
	uint32_t block_bytes, stride_bytes;
};

SPIN_STATE(struct strided_ddt, .block_bytes = 256, .stride_bytes = 512);

static enum spin_payload_rc strided_ddt_payload(struct spin_payload *p, struct strided_ddt *layout)
{
	uint32_t block = layout->block_bytes, stride = layout->stride_bytes, gap = stride - block, i, bytes, done = 0;
	uint64_t at;

	if (!block || stride < block)
		return SPIN_FAIL;
	i = p->offset / block;
	at = (uint64_t)i * gap + p->offset;
	bytes = (i + 1) * block - p->offset; /* left in the block that the packet begins in */
	SPIN_WHILE(p, done < p->length) {
		if (bytes > p->length - done)
			bytes = p->length - done;
		if (at >> 32 || spin_payload_to_host(p, SPIN_ME_MEM, (uint32_t)at, done, bytes))
			return SPIN_SEGV;
		done += bytes;
		at += bytes + gap;
		bytes = block;
	}
	return SPIN_SUCCESS;
}

/* The handler does not read the payload, so it stays in L2, where the DMA to the host reads whole lines. */
SPIN_HANDLERS(strided_ddt,
	      .payload = strided_ddt_payload,
	      .bytes_in_l1 = SPIN_HEADERS_ONLY,
	      .payload_aligned = 1,
	      .delivery = SPIN_DELIVER_ME);
