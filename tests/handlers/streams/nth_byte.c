/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nth_byte - handlers of TCP streams for tests/sockets/streams_copy_what_is_read: add up the byte of each piece that the application names
 *
 * The offset is a function's argument and not a constant, so the runtime copies whole pieces.
 */
#include <spin/spin.h>

struct nth_byte {
	uint32_t at;                     /* set by the application */
	uint32_t pieces, bytes, longest; /* longest: bytes of the longest piece */
	uint32_t long_enough;            /* pieces that have a byte at `at` */
	uint32_t sum;                    /* of these bytes */
};

SPIN_STATE(struct nth_byte);

static uint32_t byte_at(struct spin_payload *p, uint32_t at)
{
	const uint8_t *byte = SPIN_GET(p, at, uint8_t);

	return byte ? *byte : 0;
}

static enum spin_payload_rc nth_byte_payload(struct spin_payload *p, struct nth_byte *n)
{
	spin_add32(&n->sum, byte_at(p, spin_load32(&n->at)));
	spin_add32(&n->long_enough, p->length > n->at);
	spin_add32(&n->pieces, 1);
	spin_add32(&n->bytes, p->length);
	if (p->length > n->longest)
		n->longest = p->length;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(nth_byte, .payload = nth_byte_payload);
