/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_faults - message handlers that commit the fault which a packet asks for: an endless loop, a deadlock, a wrong address, FAIL
 * (faults.h). For tests/live/faults_are_reported.c.
 *
 * Only this message may fail, with the right event. A completion handler sees no packet, so the header handler leaves its fault in the
 * scratchpad.
 */
#include <spin/spin.h>

/* Used by faults.h, which has the logic. */
#define FAULTS_KEEP(h, state, how) (SPIN_SCRATCH(h)->completion = (how))

struct kept {
	uint32_t completion, unused;
};

SPIN_SCRATCHPAD(struct kept);

#include "faults.h"

SPIN_STATE(struct faults);

static enum spin_completion_rc faults_completion(struct spin_completion *c, struct faults *state)
{
	uint32_t how = FAULT_DO(c, SPIN_SCRATCH(c)->completion, state);

	if (how == FAULT_SEGV && spin_dma_to_host(c, SPIN_ME_MEM, 0xfffffff0u, &state->walked, sizeof(state->walked)))
		return SPIN_COMPLETION_SEGV;
	if (how == FAULT_FAIL)
		return SPIN_COMPLETION_FAIL;
	spin_add32(&state->completions, how == FAULT_NONE);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(msg_faults, .header = faults_header, .payload = faults_payload, .message_completion = faults_completion,
	      .budget = FAULTS_BUDGET, .delivery = SPIN_DELIVER_ME);
