/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: both .completion and .message_completion. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_completion_rc one(uint32_t dropped_bytes, _Bool flow_control_triggered, struct spin_no_state *unused)
{
	return SPIN_COMPLETION_SUCCESS;
}

static enum spin_completion_rc two(struct spin_completion *c, struct spin_no_state *unused)
{
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(completions, .completion = one, .message_completion = two, .delivery = SPIN_DELIVER_ME); // compiler: register one of .completion and .message_completion
