/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * header_write - a header handler alone, which sets the destination port and sets two bytes of the payload to 0. It then returns PROCEED,
 * and the datagram must be delivered as rewritten, or FAIL, which drops it. For tests/vectors/rewrite.
 */
#include <spin/spin.h>

struct ask {
	spin_be16 value, fail;
};

SPIN_NO_STATE;

static enum spin_header_rc header_write_header(struct spin_header *h, struct spin_no_state *unused)
{
	const struct ask *ask = SPIN_GET(h, 0, struct ask);

	if (!ask)
		return SPIN_HEADER_SEGV;
	spin_set_dst_port(h, ask->value);
	spin_set16(h, &ask->value, 0);
	return ask->fail ? SPIN_HEADER_FAIL : SPIN_HEADER_PROCEED;
}

SPIN_HANDLERS(header_write, .header = header_write_header);
