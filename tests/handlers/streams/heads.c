/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * heads - handlers of TCP streams for tests/sockets/streams_copy_what_is_read: each piece's first byte becomes '#', and its eighth byte is
 * added up
 *
 * The handlers look at the first eight bytes of a piece alone, so the runtime copies no more of it, and writes no more of it back.
 */
#include <spin/spin.h>

struct heads {
	uint32_t pieces, bytes, longest; /* longest: bytes of the longest piece */
	uint32_t sum;                    /* of the eighth bytes of pieces that have one */
};

SPIN_STATE(struct heads);

static enum spin_payload_rc heads_payload(struct spin_payload *p, struct heads *h)
{
	const uint8_t *first = SPIN_GET(p, 0, uint8_t), *eighth = SPIN_GET(p, 7, uint8_t);

	if (!first)
		return SPIN_FAIL; /* a piece has at least one byte */
	if (eighth)
		spin_add32(&h->sum, *eighth);
	spin_add32(&h->pieces, 1);
	spin_add32(&h->bytes, p->length);
	if (p->length > h->longest)
		h->longest = p->length;
	spin_set8(p, first, '#');
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(heads, .payload = heads_payload);
