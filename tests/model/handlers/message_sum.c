/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler, compared with baselines/message_sum.c by tests/model/message_wrapper_costs_at_most_5.c: sums the words of messages. It
 * measures the overhead of the code around a handler.
 */
#include <spin/spin.h>

struct sums {
	uint32_t sum;
};
SPIN_STATE(struct sums);

static enum spin_payload_rc message_sum_payload(struct spin_payload *p, struct sums *state)
{
	uint32_t sum = 0;

	SPIN_FOR_EACH(p, uint32_t, word)
		sum += *word;
	spin_add32(&state->sum, sum);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(message_sum, .payload = message_sum_payload, .delivery = SPIN_DELIVER_ME);
