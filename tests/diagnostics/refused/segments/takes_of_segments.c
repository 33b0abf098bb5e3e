/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: atomics accepted by handlers of TCP segments. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(segments, .payload = f, .delivery = SPIN_DELIVER_SEGMENTS, .takes = SPIN_TAKES_ATOMIC); // compiler: takes is for messages: register .delivery = SPIN_DELIVER_ME
