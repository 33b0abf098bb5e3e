/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* act_dma_d - datagrams whose payload selects a DMA transfer with host memory (act_dma.h). For tests/vectors/actions*. */
#include <spin/spin.h>

#include "act_dma.h"

SPIN_STATE(struct act_dma_state);

static enum spin_payload_rc act_dma_d_payload(struct spin_payload *p, struct act_dma_state *state)
{
	const struct act_dma_ask *ask = SPIN_GET(p, 0, struct act_dma_ask);
	uint8_t rc;

	if (!ask)
		return SPIN_FAIL;
	rc = ask->rc;
	return act_dma(p, ask, state) ? SPIN_SEGV : (enum spin_payload_rc)rc;
}

SPIN_HANDLERS(act_dma_d, .payload = act_dma_d_payload, .payload_aligned = 1);
