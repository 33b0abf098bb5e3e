/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* header_only - a header handler without other handlers drops datagrams to odd ports. For tests/vectors/returns, parse and jumbo. */
#include <spin/spin.h>

struct seen {
	uint32_t messages, bytes;
};

SPIN_STATE(struct seen);

static enum spin_header_rc header_only_header(struct spin_header *h, struct seen *state)
{
	spin_add32(&state->messages, 1);
	spin_add32(&state->bytes, h->length);
	return spin_ntoh16(spin_dst_port(h)) & 1 ? SPIN_HEADER_DROP : SPIN_HEADER_PROCESS_DATA;
}

SPIN_HANDLERS(header_only, .header = header_only_header);
