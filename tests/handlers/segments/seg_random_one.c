/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_random_one - seg_random.c with the payload handler alone, which does what fields of the segments' headers say (seg_random.h). For
 * tests/segments.
 */
#include <spin/spin.h>

#include "seg_random.h"

static enum spin_payload_rc seg_random_one_payload(struct spin_payload *p, struct seg_state *state)
{
	return seg_payload(p, state, 0);
}

SPIN_HANDLERS(seg_random_one, .payload = seg_random_one_payload, .budget = SEG_BUDGET, .delivery = SPIN_DELIVER_SEGMENTS);
