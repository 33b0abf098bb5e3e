/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * aggregate - the sum of a message's integers (PsPIN 4.3, "Data aggregation")
 *
 * A message of 32-bit integers is added up in its scratchpad, modulo 2^32: each packet by itself, and
 * then once to the message's sum. When the message is complete the sum is written to host memory, where the default
 * action would have put the message's first bytes: senders of puts choose a place for each message.
 */
#include <spin/spin.h>

struct aggregate {
	uint32_t sum;
	uint32_t unused;
};

SPIN_NO_STATE;
SPIN_SCRATCHPAD(struct aggregate);

/* Looked at together: one test for sixteen integers, and no loop between them. */
struct block { uint32_t value[16]; };

static enum spin_payload_rc aggregate_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	uint32_t sum = 0, rest = p->length - p->length % sizeof(struct block);

	SPIN_FOR_EACH(p, struct block, block)
		for (int i = 0; i < 16; i++)
			sum += block->value[i];
	for (int i = 0; i < 15; i++, rest += sizeof(uint32_t)) {
		const uint32_t *value = SPIN_GET(p, rest, uint32_t);

		if (!value)
			break;
		sum += *value;
	}
	spin_add32(&SPIN_SCRATCH(p)->sum, sum);
	return SPIN_SUCCESS;
}

/* One word: it goes along with the command, and no transfer is waited for. */
static enum spin_completion_rc aggregate_completion(struct spin_completion *c, struct spin_no_state *unused)
{
	uint32_t sum = spin_load32(&SPIN_SCRATCH(c)->sum);

	if (spin_host_write(c, SPIN_ME_MEM, 0, &sum, sizeof(sum)))
		return SPIN_COMPLETION_SEGV;
	return SPIN_COMPLETION_SUCCESS;
}

/* No packet ends within an integer. */
SPIN_HANDLERS(aggregate,
	      .payload = aggregate_payload,
	      .message_completion = aggregate_completion,
	      .fragmentation_bytes = sizeof(uint32_t),
	      .delivery = SPIN_DELIVER_ME);
