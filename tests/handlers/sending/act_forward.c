/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_forward - messages whose packets contain the target to forward them to, and the code to return afterwards (act_put.h). Flags, id and
 * offset must stay; a target of another IP version is SEGV. For tests/vectors/actions.
 */
#include <spin/spin.h>

#include "act_put.h"

SPIN_NO_STATE;
SPIN_PUTS(1);

static enum spin_payload_rc act_forward_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	const struct act_put_ask *ask = SPIN_GET(p, 0, struct act_put_ask);
	struct spin_process to;
	uint8_t rc;

	if (!ask)
		return SPIN_FAIL;
	rc = ask->rc;
	to = ACT_TARGET(p, ask);
	return spin_forward(p, &to) ? SPIN_SEGV : (enum spin_payload_rc)rc;
}

SPIN_HANDLERS(act_forward, .payload = act_forward_payload, .delivery = SPIN_DELIVER_ME);
