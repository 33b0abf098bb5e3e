/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_entry_reach - a complete message writes its length and the successes that its entry has counted to the entry's memory for handlers,
 * by DMA, and then counts a success; a failure if the memory is not there. For tests/live/entries_have_memory_of_their_own.c.
 */
#include <spin/spin.h>

#include "entry_reach.h"

SPIN_NO_STATE;

static enum spin_completion_rc reach_completion(struct spin_completion *c, struct spin_no_state *unused)
{
	struct spin_ct ct = spin_ct_get(c);
	struct reach_note note = { .bytes = c->length, .before = ct.success };

	(void)unused;
	if (spin_dma_to_host(c, SPIN_HANDLER_MEM, 0, &note, sizeof(note))) {
		spin_ct_inc(c, 0, 1);
		return SPIN_COMPLETION_SEGV;
	}
	spin_ct_inc(c, 1, 0);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(msg_entry_reach, .message_completion = reach_completion, .delivery = SPIN_DELIVER_ME);
