/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a user header of TCP segments. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(segments, .payload = f, .delivery = SPIN_DELIVER_SEGMENTS, .user_header_bytes = 8); // compiler: user_header_bytes is not for TCP segments: a connection begins with a SYN, which has no bytes; look at the first ones in the payload handler
