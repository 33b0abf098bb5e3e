/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_forward_d - datagrams say where to forward them (act_put.h). With FORWARD_AND_SET the word after the request is stored before the
 * call and set to 0 after it: the packet sent must have the former value, the datagram the latter. For tests/vectors/actions.
 */
#include <spin/spin.h>

#include "act_put.h"

enum forward_op { FORWARD, FORWARD_AND_SET };

SPIN_NO_STATE;
SPIN_PUTS(1);

static enum spin_payload_rc act_forward_d_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	const struct act_put_ask *ask = SPIN_GET(p, 0, struct act_put_ask);
	struct spin_process to;
	const uint32_t *word;
	uint8_t op, rc;

	if (!ask)
		return SPIN_FAIL;
	op = ask->op;
	rc = ask->rc;
	to = ACT_TARGET(p, ask);
	word = SPIN_GET(p, sizeof(*ask), uint32_t);
	if (op == FORWARD_AND_SET && word)
		spin_set32(p, word, 0x04030201);
	if (spin_forward(p, &to))
		return SPIN_SEGV;
	word = SPIN_GET(p, sizeof(*ask), uint32_t);
	if (op == FORWARD_AND_SET && word)
		spin_set32(p, word, 0);
	return rc == SPIN_REPLIED ? spin_reply(p, 4) : (enum spin_payload_rc)rc;
}

SPIN_HANDLERS(act_forward_d, .payload = act_forward_d_payload);
