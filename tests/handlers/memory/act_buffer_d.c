/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_buffer_d - datagrams that select a copy between host memory and a buffer that each HPU has (act_buffer.h). Loads in both classes,
 * trusted and isolated (without CAP_PERFMON). For tests/vectors/actions_memory.
 */
#include <spin/spin.h>

#include "act_buffer.h"

SPIN_NO_STATE;

static enum spin_payload_rc act_buffer_d_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	const struct act_buffer_ask *ask = SPIN_GET(p, 0, struct act_buffer_ask);

	if (!ask)
		return SPIN_FAIL;
	act_buffer_fill(p);
	return act_buffer(p, ask) ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(act_buffer_d, .payload = act_buffer_d_payload);
