/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * aggregate - the sum of a message's integers (PsPIN 4.3, "Data aggregation")
 *
 * Adds up the 32-bit integers of a message in its scratchpad, its own memory, modulo 2^32. The payload handler sums each packet by itself,
 * then adds it once to the message's sum. When the message is complete, the sum is written to host memory, where the default action would
 * have put the message's first bytes. So the sender of a put chooses a place for each message.
 */
#include <spin/spin.h>

struct aggregate {
	uint32_t sum;
	uint32_t unused;
};

SPIN_NO_STATE;
SPIN_SCRATCHPAD(struct aggregate);

/* Read together: one bounds test for sixteen integers, and no loop over them. */
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

/* A host-direct write: the word is part of the command, so there is no transfer to wait for. */
static enum spin_completion_rc aggregate_completion(struct spin_completion *c, struct spin_no_state *unused)
{
	uint32_t sum = spin_load32(&SPIN_SCRATCH(c)->sum);

	if (spin_host_write(c, SPIN_ME_MEM, 0, &sum, sizeof(sum)))
		return SPIN_COMPLETION_SEGV;
	return SPIN_COMPLETION_SUCCESS;
}

/* .fragmentation_bytes ensures that no packet ends within an integer. */
SPIN_HANDLERS(aggregate,
	      .payload = aggregate_payload,
	      .message_completion = aggregate_completion,
	      .fragmentation_bytes = sizeof(uint32_t),
	      .delivery = SPIN_DELIVER_ME);
