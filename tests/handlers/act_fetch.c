/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_fetch - a context that takes atomics that fetch, and no others: its header handler says PROCEED of them, or what the first byte
 * of the match bits says; the payload handler of a put asks its source for one.
 */
#include <spin/spin.h>

struct fetch_ask {
	uint32_t op;      /* of the state's words; 0: nothing is sent */
	uint32_t bytes;   /* 4, 8 or 64 */
	uint32_t times, unused;
};

struct fetch_state {
	uint32_t words[16];
};
SPIN_STATE(struct fetch_state);
SPIN_PUTS(1);

static enum spin_header_rc act_fetch_header(struct spin_header *h, struct fetch_state *state)
{
	(void)state;
	if (h->match_bits & 255)
		return (enum spin_header_rc)(h->match_bits & 255);
	return h->type == SPIN_TYPE_PUT ? SPIN_HEADER_PROCESS_DATA : SPIN_HEADER_PROCEED;
}

SPIN_INLINE int fetch(struct spin_payload *p, enum spin_atomic op, uint32_t bytes, const struct fetch_state *state)
{
	struct spin_get get = { .target = spin_source(p), .match_bits = 0x100, .hdr_data = 7, .remote_offset = 16,
				.reply_match_bits = 0x200, .reply_hdr_data = 9, .reply_offset = 24 };

	switch (bytes) {
	case 4: return spin_fetch_atomic(p, op, state->words, 4, &get);
	case 8: return spin_fetch_atomic(p, op, state->words, 8, &get);
	}
	return spin_fetch_atomic(p, op, state->words, 64, &get);
}

static enum spin_payload_rc act_fetch_payload(struct spin_payload *p, struct fetch_state *state)
{
	const struct fetch_ask *ask = SPIN_GET(p, 0, struct fetch_ask);
	uint32_t op, bytes, times;

	if (!ask)
		return SPIN_SUCCESS;
	op = ask->op;
	bytes = ask->bytes;
	times = ask->times;
	if (times > 1 && fetch(p, (enum spin_atomic)op, bytes, state))
		return SPIN_FAIL;
	return times && fetch(p, (enum spin_atomic)op, bytes, state) ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(act_fetch, .header = act_fetch_header, .payload = act_fetch_payload, .delivery = SPIN_DELIVER_ME,
	      .takes = SPIN_TAKES_FETCH);
