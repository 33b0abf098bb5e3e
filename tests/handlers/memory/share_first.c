/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * share_first - counts datagrams, and adds a step to a sum in the state that it shares with share_second (share.h). For
 * tests/live/hpu_memory_is_shared.c.
 */
#include <spin/spin.h>

#include "share.h"

SPIN_STATE(struct shared, .step = 1000);

static enum spin_payload_rc share_first_payload(struct spin_payload *p, struct shared *state)
{
	(void)p;
	spin_add32(&state->first, 1);
	spin_add32(&state->both, spin_load32(&state->step));
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(share_first, .payload = share_first_payload);
