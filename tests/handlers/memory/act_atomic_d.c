/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* act_atomic_d - datagrams whose payload selects an atomic operation (act_atomic.h). For tests/vectors/actions_dma and actions_memory. */
#include <spin/spin.h>

#include "act_atomic.h"

SPIN_STATE(struct act_atomic_state);

static enum spin_payload_rc act_atomic_d_payload(struct spin_payload *p, struct act_atomic_state *state)
{
	const struct act_atomic_ask *ask = SPIN_GET(p, 0, struct act_atomic_ask);

	if (!ask)
		return SPIN_FAIL;
	return act_atomic(p, ask, state) ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(act_atomic_d, .payload = act_atomic_d_payload);
