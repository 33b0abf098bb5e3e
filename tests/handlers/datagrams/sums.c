/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * sums - adds each datagram's i-th word to sum[from + i]; the host sets `from`. tests/model/for_each_adds_no_instruction.sh: its loop must
 * have the same instructions as the hand-written one of tests/model/baselines/sums.c.
 */
#include <spin/spin.h>

struct sums {
	uint32_t sum[512];
	uint32_t from;
};

SPIN_STATE(struct sums);

static enum spin_payload_rc sums_payload(struct spin_payload *p, struct sums *state)
{
	SPIN_FOR_EACH_WITH(p, uint32_t, w, state->sum, state->from, sum)
		spin_add32(sum, *w);
	return SPIN_DROP;
}

SPIN_HANDLERS(sums, .payload = sums_payload);
