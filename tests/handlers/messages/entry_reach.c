/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* entry_reach - of each datagram it notes in the handlers' own host memory what the counter said, and counts it. */
#include <spin/spin.h>

#include "entry_reach.h"

SPIN_STATE(struct reach_note); /* a variable of the handler's is none of the isolated class's for transfers */

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
