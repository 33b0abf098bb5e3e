/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: the payload, used by a completion handler. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_completion_rc done(struct spin_completion *c, struct spin_no_state *unused)
{
	if (spin_payload_to_host(c, SPIN_ME_MEM, 0, 0, c->length)) // compiler: this call takes the struct spin_payload * of a payload handler; a completion handler has no packet left
		return SPIN_COMPLETION_SEGV;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(completion, .message_completion = done, .delivery = SPIN_DELIVER_ME);
