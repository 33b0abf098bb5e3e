/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* act_buffer - messages whose packets select an operation on an HPU's own buffer (act_buffer.h). For tests/vectors/actions_memory. */
#include <spin/spin.h>

#include "act_buffer.h"

SPIN_NO_STATE;
SPIN_PUTS(1);

static enum spin_payload_rc act_buffer_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	const struct act_buffer_ask *ask = SPIN_GET(p, 0, struct act_buffer_ask);

	if (!ask)
		return SPIN_FAIL;
	act_buffer_fill(p);
	if (ask->op == ACT_BUFFER_PUT)
		return spin_put_from_buffer(p, buf, ask->off, ask->bytes, &(struct spin_put){ .target = spin_source(p) }) ? SPIN_SEGV
															  : SPIN_SUCCESS;
	return act_buffer(p, ask) ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(act_buffer, .payload = act_buffer_payload, .delivery = SPIN_DELIVER_ME);
