/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_put - messages whose packets say which of their bytes to send, how often (16 times at most; the next is SEGV) and to whom
 * (act_put.h). For tests/vectors/actions.
 */
#include <spin/spin.h>

#include "act_put.h"

struct puts {
	uint32_t sent, round;
};
SPIN_STATE(struct puts);
SPIN_PUTS(16);

static enum spin_payload_rc act_put_payload(struct spin_payload *p, struct puts *state)
{
	const struct act_put_ask *ask = SPIN_GET(p, 0, struct act_put_ask);
	uint32_t off, bytes;
	struct spin_put put;
	uint8_t count, rc;
	int err = 0;

	if (!ask)
		return SPIN_FAIL;
	off = ask->off;
	bytes = ask->bytes;
	count = ask->count;
	rc = ask->rc;
	put = ACT_PUT(p, ask);
	/* counted in the state, which is unknown to the verifier, so it verifies all iterations as one */
	state->round = 0;
	SPIN_WHILE(p, !err && spin_load32(&state->round) < count) {
		err = spin_put_payload(p, off, bytes, &put);
		state->sent += !err;
		state->round++;
	}
	state->round = 0;
	if (err)
		return SPIN_SEGV;
	return (enum spin_payload_rc)rc;
}

SPIN_HANDLERS(act_put, .payload = act_put_payload, .delivery = SPIN_DELIVER_ME);
