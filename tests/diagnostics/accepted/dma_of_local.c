/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a DMA transfer from a local array (accepts.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	uint32_t local[4] = { 1, 2, 3, p->length };

	if (spin_dma_to_host(p, SPIN_HANDLER_MEM, 0, local, sizeof(local)))
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(local, .payload = f);
