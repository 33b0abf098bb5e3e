/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_random_pay - seg_random.c without a header handler: payload and completion handlers do what fields of the segments' headers say
 * (seg_random.h). For tests/segments.
 */
#include <spin/spin.h>

#include "seg_random.h"

static enum spin_payload_rc seg_random_pay_payload(struct spin_payload *p, struct seg_state *state)
{
	return seg_payload(p, state, 0);
}

static enum spin_completion_rc seg_random_pay_completion(struct spin_completion *c, struct seg_state *state)
{
	return seg_completion(c, state, 0);
}

SPIN_HANDLERS(seg_random_pay, .payload = seg_random_pay_payload, .message_completion = seg_random_pay_completion, .budget = SEG_BUDGET,
	      .delivery = SPIN_DELIVER_SEGMENTS);
