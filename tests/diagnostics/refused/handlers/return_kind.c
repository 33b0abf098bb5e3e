/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a header handler's result in a payload handler. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	if (!p->length)
		return SPIN_HEADER_PROCEED; // compiler: no payload handler returns this; return one of enum spin_payload_rc: SPIN_SUCCESS, SPIN_DROP, SPIN_FAIL, SPIN_SEGV, or what spin_reply() or spin_deliver() gives
	state->n = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(return_kind, .payload = f);
