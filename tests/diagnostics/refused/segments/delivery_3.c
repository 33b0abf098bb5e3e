/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a value of `.delivery` that does not exist. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(segments, .payload = f, .delivery = 3); // compiler: delivery is 3: SPIN_DELIVER_STACK, SPIN_DELIVER_ME or SPIN_DELIVER_SEGMENTS
