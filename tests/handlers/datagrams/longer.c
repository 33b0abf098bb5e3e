/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * longer - replies from SPIN_REPLY's buffer of 1,024 bytes (<spin/reply.h>), which may be longer than the request. The first word is the
 * reply's length in bytes and is copied to its start; the following words count up from the third word in steps of the second. A length
 * above 1,024 is SEGV. If the first word is all ones, the reply is a plain one of four bytes of the packet. Words are in network byte
 * order. For tests/vectors/longer.
 */
#include <spin/spin.h>

struct ask {
	spin_be32 bytes, step, start;
};

struct longer {
	uint32_t requests, replies;
};

SPIN_STATE(struct longer);
SPIN_REPLY(1024);

static enum spin_payload_rc longer_payload(struct spin_payload *p, struct longer *state)
{
	const struct ask *ask = SPIN_GET(p, 0, struct ask);
	uint32_t *out = SPIN_REPLY_OF(p), bytes, word;

	spin_add32(&state->requests, 1);
	if (!ask)
		return SPIN_SUCCESS;
	if (ask->bytes == 0xffffffff)
		return spin_reply(p, 4);
	bytes = spin_ntoh32(ask->bytes);
	word = spin_ntoh32(ask->start);
	out[0] = ask->bytes;
	SPIN_FOR(p, i, 1, 256) {
		out[i & 255] = spin_hton32(word);
		word += spin_ntoh32(ask->step);
	}
	spin_set32(p, &ask->start, 0x01020304); /* in the packet: must not appear in the reply */
	spin_add32(&state->replies, 1);
	return spin_reply_from_buffer(p, bytes);
}

SPIN_HANDLERS(longer, .payload = longer_payload);
