/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_longest_d - datagrams make the handler send 2,048 bytes of the state, the most that a packet may carry, or 2,052, which is SEGV
 * (act_put.h). For tests/vectors/actions.
 */
#include <spin/spin.h>

#include "act_put.h"

struct longest {
	uint32_t words[513];
	uint32_t unused;
};
SPIN_STATE(struct longest, .words = { 1, [511] = 512, [512] = 513 });
SPIN_PUTS(1);

static enum spin_payload_rc act_longest_d_payload(struct spin_payload *p, struct longest *state)
{
	const struct act_put_ask *ask = SPIN_GET(p, 0, struct act_put_ask);
	struct spin_put put;
	uint32_t bytes;
	int err;

	if (!ask)
		return SPIN_FAIL;
	bytes = ask->bytes;
	put = ACT_PUT(p, ask);
	if (bytes == 2048)
		err = spin_put_from_device(p, state->words, 2048, &put);
	else
		err = spin_put_from_device(p, state->words, 2052, &put);
	return err ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(act_longest_d, .payload = act_longest_d_payload);
