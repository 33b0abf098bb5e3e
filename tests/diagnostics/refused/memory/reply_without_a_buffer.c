/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: SPIN_REPLY_OF without SPIN_REPLY. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	SPIN_REPLY_OF(p)[0] = 1; // compiler: there is no buffer for replies; declare it with SPIN_REPLY(bytes) before the first handler
	return spin_reply_from_buffer(p, 4);
}

SPIN_HANDLERS(reply, .payload = f);
