/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_acked - messages whose packets select a put that asks for an acknowledgement (struct acked_ask), to their source or another target. A
 * payload handler may send one (SPIN_PUTS). For tests/vectors/actions and tests/live/puts_are_acknowledged.c.
 */
#include <spin/spin.h>

struct acked_ask {
	uint32_t op;                   /* 0: none; 1: the payload; 2: the state's words; 3: host memory, from the message's offset on */
	uint32_t options, user, bytes; /* bytes: for 1 and 3 */
	uint32_t addr;                 /* IPv4 address of the target; 0: the source */
	uint32_t port;                 /* network byte order, in the lower half; 0: the source's */
};

struct acked_state {
	uint32_t words[4];
};
SPIN_STATE(struct acked_state, .words = { 1, 2, 3, 4 });
SPIN_PUTS(1);

static enum spin_payload_rc act_acked_payload(struct spin_payload *p, struct acked_state *state)
{
	const struct acked_ask *ask = SPIN_GET(p, 0, struct acked_ask);
	struct spin_put_acked put = { .put = { .target = spin_source(p), .match_bits = 5, .hdr_data = 6, .remote_offset = 7 } };
	uint32_t op, bytes;
	int err = 0;

	if (!ask)
		return SPIN_SUCCESS;
	op = ask->op;
	bytes = ask->bytes;
	put.options = ask->options;
	put.user_ptr = (uint64_t)ask->user << 32 | 1;
	if (ask->addr)
		put.put.target.addr[0] = ask->addr;
	if (ask->port)
		put.put.target.port = (spin_be16)ask->port;
	if (op == 1)
		err = spin_put_payload(p, 0, bytes, &put);
	else if (op == 2)
		err = spin_put_from_device(p, state->words, sizeof(state->words), &put);
	else if (op == 3)
		err = spin_put_from_host(p, 0, bytes, &put);
	return err ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(act_acked, .payload = act_acked_payload, .delivery = SPIN_DELIVER_ME);
