/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_ends_host - messages whose first packet makes the header or the completion handler send bytes of the message's place in host memory
 * (act_put.h). They must leave also if that handler then returns DROP or FAIL; bytes outside are SEGV. For tests/vectors/actions.
 */
#include <spin/spin.h>

#include "act_put.h"

SPIN_NO_STATE;
SPIN_PUTS(2);
struct ends_scratch {
	struct act_put_ask ask;
	uint32_t unused;
}; /* for the completion handler */
SPIN_SCRATCHPAD(struct ends_scratch);

static enum spin_header_rc act_ends_host_header(struct spin_header *h, struct spin_no_state *unused)
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
	return spin_put_from_host(h, ask->off, ask->bytes, &put) ? SPIN_HEADER_SEGV : (enum spin_header_rc)rc;
}

static enum spin_payload_rc act_ends_host_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

static enum spin_completion_rc act_ends_host_completion(struct spin_completion *c, struct spin_no_state *unused)
{
	const struct act_put_ask *ask = &SPIN_SCRATCH(c)->ask;
	struct spin_put put;

	if (ask->when != ACT_IN_COMPLETION)
		return SPIN_COMPLETION_SUCCESS;
	put = ACT_PUT(c, ask);
	return spin_put_from_host(c, ask->off, ask->bytes, &put) ? SPIN_COMPLETION_SEGV : (enum spin_completion_rc)ask->rc;
}

SPIN_HANDLERS(act_ends_host, .header = act_ends_host_header, .payload = act_ends_host_payload,
	      .message_completion = act_ends_host_completion, .delivery = SPIN_DELIVER_ME);
