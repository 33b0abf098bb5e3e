/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_put_payload() in a completion handler. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_PUTS(1);

static enum spin_completion_rc f(struct spin_completion *c, struct spin_no_state *unused)
{
	struct spin_put put = { .target = spin_source(c) };

	if (spin_put_payload(c, 0, 4, &put)) // compiler: this call takes the struct spin_payload * of a payload handler; a completion handler has no packet left
		return SPIN_COMPLETION_SEGV;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(put, .message_completion = f, .delivery = SPIN_DELIVER_ME);
