/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* act_lock_d - datagrams whose payload selects loops and locks (act_lock.h). For tests/vectors/actions and actions_memory. */
#include <spin/spin.h>

#include "act_lock.h"

SPIN_STATE(struct act_lock_state);

static enum spin_payload_rc act_lock_d_payload(struct spin_payload *p, struct act_lock_state *state)
{
	const struct act_lock_ask *ask = SPIN_GET(p, 0, struct act_lock_ask);

	return ask ? act_lock(p, ask, state) : SPIN_FAIL;
}

SPIN_HANDLERS(act_lock_d, .payload = act_lock_d_payload, .budget = ACT_BUDGET);
