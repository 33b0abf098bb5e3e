/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a segment's DMA to a message's entry. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	uint32_t word = p->length;

	if (spin_dma_to_host(p, SPIN_ME_MEM, 0, &word, 4)) // compiler: SPIN_ME_MEM and SPIN_ENTRY_MEM are the memory of a message's matching entry, which a TCP segment does not have; use SPIN_HANDLER_MEM
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(segments, .payload = f, .delivery = SPIN_DELIVER_SEGMENTS);
