/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_endless - handlers of TCP segments that loop, if `loops` says so, until the work limit of the isolated class (handlers without
 * CAP_PERFMON) ends them; for tests/segments/ended_handlers_hold_no_place.c.
 */
#include <spin/spin.h>

#include "tests/handlers/streams/endless_rounds.h"

struct seg_endless {
	uint32_t loops; /* 1: the header handler, 2: payload handlers */
	uint32_t rounds, headers, payloads, completions;
};

SPIN_STATE(struct seg_endless);

static enum spin_header_rc seg_endless_header(struct spin_header *h, struct seg_endless *state)
{
	(void)h;
	spin_add32(&state->headers, 1);
	if (state->loops & 1)
		while (ENDLESS_ROUNDS)
			state->rounds++;
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc seg_endless_payload(struct spin_payload *p, struct seg_endless *state)
{
	(void)p;
	spin_add32(&state->payloads, 1);
	if (state->loops & 2)
		while (ENDLESS_ROUNDS)
			state->rounds++;
	return SPIN_SUCCESS;
}

static enum spin_completion_rc seg_endless_completion(struct spin_completion *c, struct seg_endless *state)
{
	(void)c;
	spin_add32(&state->completions, 1);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(seg_endless, .header = seg_endless_header, .payload = seg_endless_payload, .message_completion = seg_endless_completion,
	      .delivery = SPIN_DELIVER_SEGMENTS);
