/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_send - messages whose packets say what to send back to their source: payload, state or host memory. Two packets may be sent for each
 * (SPIN_PUTS); SEND_THREE sends a third one, which must be SEGV. For tests/vectors/actions.
 */
#include <spin/spin.h>

enum send_op { SEND_NOTHING, SEND_PAYLOAD, SEND_DEVICE, SEND_HOST, SEND_THREE };

struct send_ask {
	uint8_t op, rc; /* rc: returned if all were sent */
	uint16_t off;
	uint32_t bytes, match;
};

struct sender {
	uint32_t words[4]; /* SEND_DEVICE sets the first two to 0 right after the call: the packet must have the values of before */
	uint32_t target_port, unused;
};
SPIN_STATE(struct sender, .words = { 0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c });
SPIN_PUTS(2);

static enum spin_payload_rc act_send_payload(struct spin_payload *p, struct sender *state)
{
	const struct send_ask *ask = SPIN_GET(p, 0, struct send_ask);
	struct spin_put put = { .target = spin_source(p) };
	struct spin_process here = spin_target(p);
	uint32_t off, bytes;
	uint8_t op, rc;
	int err = 0;

	if (!ask)
		return SPIN_FAIL;
	op = ask->op;
	rc = ask->rc;
	off = ask->off;
	bytes = ask->bytes;
	put.match_bits = ask->match;
	put.hdr_data = (uint64_t)ask->match << 32;
	put.remote_offset = bytes;
	if (op == SEND_PAYLOAD || op == SEND_THREE)
		err = spin_put_payload(p, off, bytes, &put);
	if (op == SEND_THREE && !err)
		err = spin_forward(p, &put.target);
	if (op == SEND_DEVICE || (op == SEND_THREE && !err))
		err = spin_put_from_device(p, state->words, 16, &put);
	if (op == SEND_HOST)
		err = spin_put_from_host(p, off, bytes, &put);
	if (op == SEND_DEVICE)
		state->words[0] = state->words[1] = 0;
	state->target_port = here.port;
	return err ? SPIN_SEGV : (enum spin_payload_rc)rc;
}

SPIN_HANDLERS(act_send, .payload = act_send_payload, .delivery = SPIN_DELIVER_ME);
