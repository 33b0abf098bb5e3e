/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* walk_with_me - the packets of messages, with a budget: words in step with sums. */
#include <spin/spin.h>

struct walked_with {
	uint32_t sum[64];
	uint32_t from; /* the element that the first word is beside; the test's to write */
};

SPIN_STATE(struct walked_with);

static enum spin_payload_rc walk_with_me_payload(struct spin_payload *p, struct walked_with *state)
{
	SPIN_FOR_EACH_WITH(p, uint32_t, word, state->sum, state->from, sum)
		spin_add32(sum, *word);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(walk_with_me, .payload = walk_with_me_payload, .delivery = SPIN_DELIVER_ME, .budget = 32);
