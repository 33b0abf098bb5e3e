/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * host_reply - replies with the first 8 bytes, or delivers the packet, in both cases with a word inverted. The received checksum is not
 * checked (SPIN_CHECKSUM_HOST). For tests/vectors/rewrite.
 */
#include <spin/spin.h>

struct ask {
	spin_be16 reply; /* 0: deliver with `value` inverted; otherwise: reply with the first 8 bytes */
	uint16_t unused;
	uint32_t value;
};

SPIN_NO_STATE;

static enum spin_payload_rc host_reply_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	const struct ask *ask = SPIN_GET(p, 0, struct ask);

	(void)unused;
	if (!ask)
		return SPIN_SEGV;
	spin_set32(p, &ask->value, ~ask->value);
	return ask->reply ? spin_reply(p, sizeof(*ask)) : SPIN_SUCCESS;
}

SPIN_HANDLERS(host_reply, .payload = host_reply_payload, .checksum = SPIN_CHECKSUM_HOST);
