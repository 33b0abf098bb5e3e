/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_device_d - datagrams make the handler send 16 bytes of the state, or none, and store source and target. The state changes right after
 * the call: the packet must have the bytes of before. For tests/vectors/actions and tests/kernels.
 */
#include <spin/spin.h>

#include "act_put.h"

struct device {
	uint32_t words[4]; /* set to 0xffffffff right after they are sent */
	struct spin_process source, target;
};
SPIN_STATE(struct device, .words = { 0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c });
SPIN_PUTS(1);

static enum spin_payload_rc act_device_d_payload(struct spin_payload *p, struct device *state)
{
	const struct act_put_ask *ask = SPIN_GET(p, 0, struct act_put_ask);
	struct spin_put put;
	uint32_t bytes;
	int err;

	state->source = spin_source(p);
	state->target = spin_target(p);
	if (!ask)
		return SPIN_FAIL;
	bytes = ask->bytes;
	put = ACT_PUT(p, ask);
	if (!bytes)
		return spin_put_from_device(p, state->words, 0, &put) ? SPIN_SEGV : SPIN_SUCCESS;
	err = spin_put_from_device(p, state->words, 16, &put);
	for (uint32_t i = 0; i < 4 && !err; i++)
		state->words[i] = 0xffffffff;
	return err ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(act_device_d, .payload = act_device_d_payload);
