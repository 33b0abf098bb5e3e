/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hammer - every datagram counts once in each kind of memory that HPUs share (hammer_run.h), and is dropped. For
 * tests/live/hpus_hammer_shared_memory.c.
 */
#include "hammer_run.h"

static enum spin_payload_rc hammer_payload(struct spin_payload *p, struct hammer_state *state)
{
	return hammer(p, state);
}

SPIN_HANDLERS(hammer, .payload = hammer_payload);
