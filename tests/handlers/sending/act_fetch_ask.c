/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_fetch_ask - asks a packet's sender to apply an atomic operation to its memory, with the state's words as operands, and to return the
 * old values (spin_fetch_atomic). Only one may be sent for a packet: a second one is SEGV. For tests/vectors/actions.
 */
#include <spin/spin.h>

struct fetch_ask {
	uint32_t op;    /* enum spin_atomic */
	uint32_t bytes; /* 4; otherwise 64 */
	uint32_t again; /* 1: send another one with 4 bytes, which exceeds the limit */
	uint32_t unused;
};

struct fetch_state {
	uint32_t words[16];
};
SPIN_STATE(struct fetch_state);
SPIN_PUTS(1);

static enum spin_payload_rc act_fetch_ask(struct spin_payload *p, struct fetch_state *state)
{
	const struct fetch_ask *ask = SPIN_GET(p, 0, struct fetch_ask);
	struct spin_get get = { .target = spin_source(p),
				.match_bits = 0x100,
				.hdr_data = 7,
				.remote_offset = 16,
				.reply_match_bits = 0x200,
				.reply_hdr_data = 9,
				.reply_offset = 24 };
	uint32_t op, bytes, again;

	if (!ask)
		return SPIN_SUCCESS;
	op = ask->op;
	bytes = ask->bytes;
	again = ask->again;
	if (bytes != 4)
		return spin_fetch_atomic(p, (enum spin_atomic)op, state->words, 64, &get) ? SPIN_SEGV : SPIN_SUCCESS;
	if (spin_fetch_atomic(p, (enum spin_atomic)op, state->words, 4, &get))
		return SPIN_SEGV;
	return again && spin_fetch_atomic(p, (enum spin_atomic)op, state->words, 4, &get) ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(act_fetch_ask, .payload = act_fetch_ask, .delivery = SPIN_DELIVER_ME);
