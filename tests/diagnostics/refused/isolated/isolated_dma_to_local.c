/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused without --trusted: a DMA to a local array. Expected error: the faulty line's comment (isolated_class_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t local[8] = { 0 }; // isolated: a local array is indexed with a variable; keep the array in the state

	if (spin_dma_from_host(p, SPIN_HANDLER_MEM, 0, local, sizeof(local)))
		return SPIN_SEGV;
	state->n += local[0] + local[7];
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(local, .payload = f);
