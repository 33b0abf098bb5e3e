/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Shared by act_rewrite_d.c and act_rewrite_h_d.c, for tests/vectors/actions. The payload handler sets the destination port that the packet
 * contains, sends 4 bytes of the payload, and returns the packet's code. Then the completion handler sends the port that the packet arrived
 * with. Each packet sent must have the port as it is at its call as source port.
 */
#include "act_put.h"

struct puts {
	uint32_t at_end;
};
SPIN_STATE(struct puts);
SPIN_PUTS(2);

static enum spin_payload_rc act_rewrite_d_payload(struct spin_payload *p, struct puts *state)
{
	const struct act_put_ask *ask = SPIN_GET(p, 0, struct act_put_ask);
	struct spin_process to;
	struct spin_put put;
	uint8_t rc;

	state->at_end = spin_ntoh16(spin_dst_port(p));
	if (!ask)
		return SPIN_FAIL;
	rc = ask->rc;
	to = ACT_TARGET(p, ask);
	put = (struct spin_put){ .target = to };
	if (ask->off)
		spin_set_dst_port(p, (spin_be16)ask->off);
	if (spin_put_payload(p, 36, 4, &put))
		return SPIN_SEGV;
	return rc == SPIN_REPLIED ? spin_reply(p, 4) : (enum spin_payload_rc)rc;
}

static enum spin_completion_rc act_rewrite_d_completion(struct spin_completion *c, struct puts *state)
{
	struct spin_put put = { .target = spin_source(c) };

	return spin_put_from_device(c, &state->at_end, 4, &put) ? SPIN_COMPLETION_SEGV : SPIN_COMPLETION_SUCCESS;
}
