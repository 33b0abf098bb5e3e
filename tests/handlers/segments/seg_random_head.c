/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_random_head - seg_random.c without a payload handler: header and completion handlers do what fields of the segments' headers say
 * (seg_random.h). For tests/segments.
 */
#include <spin/spin.h>

#include "seg_random.h"

static enum spin_header_rc seg_random_head_header(struct spin_header *h, struct seg_state *state)
{
	return seg_header(h, state);
}

static enum spin_completion_rc seg_random_head_completion(struct spin_completion *c, struct seg_state *state)
{
	return seg_completion(c, state, 1);
}

SPIN_HANDLERS(seg_random_head, .header = seg_random_head_header, .message_completion = seg_random_head_completion, .budget = SEG_BUDGET,
	      .delivery = SPIN_DELIVER_SEGMENTS);
