/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* sums - adds each datagram's words to an array of sums, from an index that the host sets. tests/model/baselines/sums.c is its baseline. */
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
