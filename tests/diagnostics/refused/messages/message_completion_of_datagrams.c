/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: `.message_completion` with .completion's signature. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_completion_rc done(uint32_t dropped_bytes, _Bool flow_control_triggered, struct spin_no_state *unused)
{
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(completion, .message_completion = done, .delivery = SPIN_DELIVER_ME); // compiler: the message_completion handler has another signature; write enum spin_completion_rc name(struct spin_completion *c, STATE *state), or register it as .completion
