/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* faults - each handler of a datagram fails as its first bytes say (faults.h). For tests/vectors/faults, tests/cli/faults.sh. */
#include <spin/spin.h>

#define FAULTS_KEEP(h, state, how) ((state)->completion = (how))

#include "faults.h"

SPIN_STATE(struct faults);

static enum spin_completion_rc faults_completion(struct spin_completion *c, struct faults *state)
{
	uint32_t how = FAULT_DO(c, state->completion, state);

	if (how == FAULT_SEGV)
		return SPIN_COMPLETION_SEGV;
	if (how == FAULT_FAIL)
		return SPIN_COMPLETION_FAIL;
	spin_add32(&state->completions, how == FAULT_NONE);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(faults, .header = faults_header, .payload = faults_payload, .message_completion = faults_completion, .budget = FAULTS_BUDGET);
