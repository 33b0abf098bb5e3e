/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * completion_only - a completion handler without other handlers: it counts datagrams, which are passed, when they are complete. For
 * tests/vectors/returns.
 */
#include <spin/spin.h>

struct seen {
	uint32_t messages, dropped_bytes;
};

SPIN_STATE(struct seen);

static enum spin_completion_rc completion_only_completion(uint32_t dropped_bytes, _Bool flow_control_triggered, struct seen *state)
{
	spin_add32(&state->messages, 1 + flow_control_triggered);
	spin_add32(&state->dropped_bytes, dropped_bytes);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(completion_only, .completion = completion_only_completion);
