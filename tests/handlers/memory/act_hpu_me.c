/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_hpu_me - all handlers of a message store the number of the HPU (processor) that runs them, the payload handler also how many HPUs
 * there are. For tests/vectors/actions_memory.
 */
#include <spin/spin.h>

struct hpus {
	uint32_t header, payload, completion, all;
};
SPIN_STATE(struct hpus, .header = 77, .payload = 77, .completion = 77);

static enum spin_header_rc act_hpu_me_header(struct spin_header *h, struct hpus *state)
{
	state->header = spin_my_hpu(h);
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc act_hpu_me_payload(struct spin_payload *p, struct hpus *state)
{
	state->payload = spin_my_hpu(p);
	state->all = spin_num_hpus(p);
	return SPIN_SUCCESS;
}

static enum spin_completion_rc act_hpu_me_done(struct spin_completion *c, struct hpus *state)
{
	state->completion = spin_my_hpu(c);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(act_hpu_me, .header = act_hpu_me_header, .payload = act_hpu_me_payload, .message_completion = act_hpu_me_done,
	      .delivery = SPIN_DELIVER_ME);
