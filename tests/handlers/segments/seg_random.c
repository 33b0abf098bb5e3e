/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_random - TCP segments with all three handlers, which do what fields of the segments' headers say (seg_random.h). For tests/segments.
 */
#include <spin/spin.h>

#include "seg_random.h"

static enum spin_header_rc seg_random_header(struct spin_header *h, struct seg_state *state)
{
	return seg_header(h, state);
}

static enum spin_payload_rc seg_random_payload(struct spin_payload *p, struct seg_state *state)
{
	return seg_payload(p, state, 1);
}

static enum spin_completion_rc seg_random_completion(struct spin_completion *c, struct seg_state *state)
{
	return seg_completion(c, state, 1);
}

SPIN_HANDLERS(seg_random, .header = seg_random_header, .payload = seg_random_payload, .message_completion = seg_random_completion,
	      .budget = SEG_BUDGET, .delivery = SPIN_DELIVER_SEGMENTS);
