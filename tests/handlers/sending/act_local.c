/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_local - messages: sends each packet's length and offset, from the scratchpad or a local variable (act_put.h), whose length is set to
 * 0 right after the call: the packet must have the value of before. For tests/vectors/actions.
 */
#include <spin/spin.h>

#include "act_put.h"

enum local_op { FROM_SCRATCHPAD, FROM_LOCAL };

struct where {
	uint32_t length, offset;
};
SPIN_NO_STATE;
SPIN_PUTS(1);
SPIN_SCRATCHPAD(struct where);

static enum spin_payload_rc act_local_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	const struct act_put_ask *ask = SPIN_GET(p, 0, struct act_put_ask);
	struct where *scratch = SPIN_SCRATCH(p), local = { p->length, p->offset };
	struct spin_put put;
	int err;

	if (!ask)
		return SPIN_FAIL;
	put = ACT_PUT(p, ask);
	if (ask->op == FROM_SCRATCHPAD) {
		scratch->length = p->length;
		scratch->offset = p->offset;
		err = spin_put_from_device(p, scratch, 8, &put);
		scratch->length = 0;
	} else {
		err = spin_put_from_device(p, &local, 8, &put);
		local.length = 0;
	}
	return err ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(act_local, .payload = act_local_payload, .delivery = SPIN_DELIVER_ME);
