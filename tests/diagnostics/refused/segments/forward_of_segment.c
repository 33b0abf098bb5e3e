/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_forward() of a TCP segment. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	struct spin_process to = spin_source(p);

	if (spin_forward(p, &to)) // compiler: it sends packets, which handlers of TCP segments cannot
		return SPIN_FAIL;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(segments, .payload = f, .delivery = SPIN_DELIVER_SEGMENTS);
