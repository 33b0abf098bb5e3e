/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_from_d - datagrams select bytes of host memory that are copied over their own payload (act_dma.h). The packet is delivered with them;
 * a range beyond host memory or payload, or an odd payload offset, is SEGV. For tests/vectors/actions_memory.
 */
#include <spin/spin.h>

#include "act_dma.h"

SPIN_STATE(struct act_dma_state);

static enum spin_payload_rc act_from_d_payload(struct spin_payload *p, struct act_dma_state *unused)
{
	const struct act_dma_ask *ask = SPIN_GET(p, 0, struct act_dma_ask);

	if (!ask)
		return SPIN_FAIL;
	return spin_payload_from_host(p, SPIN_HANDLER_MEM, ask->at, ask->off, ask->bytes) ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(act_from_d, .payload = act_from_d_payload);
