/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_ends - messages whose first packet makes the header or the completion handler send 16 bytes of the state (act_put.h). They must leave
 * also if that handler then returns DROP or FAIL. For tests/vectors/actions.
 */
#include <spin/spin.h>

#include "act_put.h"

struct ends {
	uint32_t words[4];
};
SPIN_STATE(struct ends, .words = { 0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c });
SPIN_PUTS(2);
struct ends_scratch {
	struct act_put_ask ask;
	uint32_t unused;
}; /* for the completion handler */
SPIN_SCRATCHPAD(struct ends_scratch);

static enum spin_header_rc act_ends_header(struct spin_header *h, struct ends *state)
{
	const struct act_put_ask *ask = SPIN_GET(h, 0, struct act_put_ask);
	struct spin_put put;
	uint8_t rc;

	if (!ask)
		return SPIN_HEADER_FAIL;
	SPIN_SCRATCH(h)->ask = *ask;
	if (ask->when != ACT_IN_HEADER)
		return SPIN_HEADER_PROCESS_DATA;
	rc = ask->rc;
	put = ACT_PUT(h, ask);
	return spin_put_from_device(h, state->words, 16, &put) ? SPIN_HEADER_SEGV : (enum spin_header_rc)rc;
}

static enum spin_payload_rc act_ends_payload(struct spin_payload *p, struct ends *unused)
{
	return SPIN_SUCCESS;
}

static enum spin_completion_rc act_ends_completion(struct spin_completion *c, struct ends *state)
{
	const struct act_put_ask *ask = &SPIN_SCRATCH(c)->ask;
	struct spin_put put;

	if (ask->when != ACT_IN_COMPLETION)
		return SPIN_COMPLETION_SUCCESS;
	put = ACT_PUT(c, ask);
	return spin_put_from_device(c, state->words, 16, &put) ? SPIN_COMPLETION_SEGV : (enum spin_completion_rc)ask->rc;
}

SPIN_HANDLERS(act_ends, .header = act_ends_header, .payload = act_ends_payload, .message_completion = act_ends_completion,
	      .delivery = SPIN_DELIVER_ME);
