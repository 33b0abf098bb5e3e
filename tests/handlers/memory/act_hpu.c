/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_hpu - counts datagrams in memory of the HPU (processor) that handles them, and stores its number and how many HPUs there are. For
 * tests/vectors/actions_memory and tests/model/what_each_hpu_has.c.
 */
#include <spin/spin.h>

struct hpus {
	uint32_t mine, all;
};
SPIN_STATE(struct hpus, .mine = 77);

struct own {
	uint32_t packets, bytes;
};
SPIN_PER_HPU(struct own, own);

static enum spin_payload_rc act_hpu_payload(struct spin_payload *p, struct hpus *state)
{
	struct own *counts = SPIN_MINE(p, own);

	counts->packets++;
	counts->bytes += p->length;
	state->mine = spin_my_hpu(p);
	state->all = spin_num_hpus(p);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(act_hpu, .payload = act_hpu_payload);
