/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_request - accepts gets and atomics (messages that read or change host memory). The header handler counts messages by type, and
 * returns PROCEED (for a put PROCESS_DATA), or another code in the first byte of the match bits (a tag in the message's header). A put's
 * payload handler sends its source a get or an atomic. For tests/vectors (actions, entries, message_headers) and
 * tests/live/gets_are_answered.c.
 */
#include <spin/spin.h>

struct request_ask {
	uint32_t op; /* 0: nothing; 1: get `bytes` bytes; 2: atomic on the state's first two words; 3: on all, `bytes` is the operation */
	uint32_t bytes, unused;
};

struct request_state {
	uint32_t of_type[4];
	uint32_t words[4];
	uint32_t length; /* as passed to the last header handler */
	uint32_t round;
};
SPIN_STATE(struct request_state);
SPIN_PUTS(2);

static enum spin_header_rc act_request_header(struct spin_header *h, struct request_state *state)
{
	uint32_t *count = SPIN_AT(state->of_type, h->type);

	if (!count)
		return SPIN_HEADER_FAIL;
	spin_add32(count, 1);
	state->length = h->length;
	if (h->match_bits & 255)
		return (enum spin_header_rc)(h->match_bits & 255);
	return h->type == SPIN_TYPE_PUT ? SPIN_HEADER_PROCESS_DATA : SPIN_HEADER_PROCEED;
}

static enum spin_payload_rc act_request_payload(struct spin_payload *p, struct request_state *state)
{
	const struct request_ask *ask = SPIN_GET(p, 0, struct request_ask);
	struct spin_put put = { spin_source(p), 0x100, 7, 16 };
	uint32_t op, bytes;

	if (!ask)
		return SPIN_SUCCESS;
	op = ask->op;
	bytes = ask->bytes;
	if (op == 1) {
		struct spin_get get = { .target = put.target,
					.match_bits = 0x100,
					.hdr_data = 7,
					.remote_offset = 16,
					.reply_match_bits = 0x200,
					.reply_hdr_data = 9,
					.reply_offset = 24 };

		return spin_get(p, bytes, &get) ? SPIN_SEGV : SPIN_SUCCESS;
	}
	if (op == 2)
		return spin_atomic(p, SPIN_ATOMIC_ADD32, state->words, 8, &put) ? SPIN_SEGV : SPIN_SUCCESS;
	if (op == 3)
		return spin_atomic(p, (enum spin_atomic)bytes, state->words, 16, &put) ? SPIN_SEGV : SPIN_SUCCESS;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(act_request, .header = act_request_header, .payload = act_request_payload, .delivery = SPIN_DELIVER_ME,
	      .takes = SPIN_TAKES_GET | SPIN_TAKES_ATOMIC);
