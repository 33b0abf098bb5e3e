/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * entry_reach - a datagram writes its length and the successes counted so far to the handlers' host memory, by DMA, and then counts a
 * success; a failure if the memory is not there. For tests/live/entries_have_memory_of_their_own.c.
 */
#include <spin/spin.h>

#include "entry_reach.h"

SPIN_STATE(struct reach_note); /* in the state, because the isolated class cannot transfer from local variables */

static enum spin_payload_rc entry_reach_payload(struct spin_payload *p, struct reach_note *note)
{
	note->bytes = p->length;
	note->before = spin_ct_get(p).success;
	if (spin_dma_to_host(p, SPIN_HANDLER_MEM, 0, note, sizeof(*note))) {
		spin_ct_inc(p, 0, 1);
		return SPIN_SEGV;
	}
	spin_ct_inc(p, 1, 0);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(entry_reach, .payload = entry_reach_payload);
