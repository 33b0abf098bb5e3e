/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * c32_accumulate - sPIN's listing C.3.2: multiplies the pairs (real and imaginary part) in the entry's memory by the received ones, writes
 * the results to memory and, if `pong` is set, sends them to the sender. For tests/vectors/listings and tests/figures.
 *
 * HPUs and eBPF have no floating point, so the numbers are 32-bit integers, modulo 2^32. The imaginary part is computed from the new real
 * part, so the result is not a complex product.
 */
#include <spin/spin.h>

struct pair {
	uint32_t re, im;
};

struct accumulate_info {
	uint32_t offset;
	uint32_t pong;
	struct spin_process source;
};
SPIN_STATE(struct accumulate_info);
SPIN_PUTS(1);

SPIN_BUFFER(struct pair, buf, 512); /* the MTU of sPIN 4.2 is 4 KiB */

static enum spin_header_rc accumulate_header_handler(struct spin_header *h, struct accumulate_info *i)
{
	if (i->pong)
		i->source = spin_source(h);
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc accumulate_payload_handler(struct spin_payload *p, struct accumulate_info *i)
{
	if (spin_buffer_from_host(p, SPIN_ME_MEM, i->offset + p->offset, buf, 0, p->length))
		return SPIN_SEGV;
	SPIN_FOR_EACH_WITH(p, struct pair, data, SPIN_BUFFER_OF(p, buf), 0, b) {
		b->re = data->re * b->re - data->im * b->im;
		b->im = data->re * b->im - data->im * b->re;
	}
	if (spin_buffer_to_host(p, SPIN_ME_MEM, i->offset + p->offset, buf, 0, p->length))
		return SPIN_SEGV;
	if (i->pong && spin_put_from_buffer(p, buf, 0, p->length, &(struct spin_put){ .target = i->source, .match_bits = 10 }))
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(c32_accumulate, .header = accumulate_header_handler, .payload = accumulate_payload_handler,
	      .fragmentation_bytes = sizeof(struct pair), .delivery = SPIN_DELIVER_ME);
