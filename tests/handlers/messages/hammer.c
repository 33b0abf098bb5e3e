/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* hammer - every datagram counts once in each kind of memory that HPUs share; none is passed on. */
#include "hammer_run.h"

static enum spin_payload_rc hammer_payload(struct spin_payload *p, struct hammer_state *state)
{
	return hammer(p, state);
}

SPIN_HANDLERS(hammer, .payload = hammer_payload);
