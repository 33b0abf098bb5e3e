/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hammer_message - hammer.c for messages. Their packets also count in the message's scratchpad, with and without a lock, and the completion
 * handler compares. For tests/live/hpus_hammer_shared_memory.c.
 */
#include "hammer_run.h"

struct pad {
	uint32_t runs, locked;
	struct spin_lock lock;
	uint32_t bytes;
};

SPIN_SCRATCHPAD(struct pad);

static enum spin_payload_rc hammer_message_payload(struct spin_payload *p, struct hammer_state *state)
{
	struct pad *pad = SPIN_SCRATCH(p);
	uint32_t bytes = p->length;

	spin_add32(&pad->runs, 1);
	SPIN_LOCKED(p, &pad->lock) {
		pad->locked++;
		pad->bytes += bytes;
	}
	return hammer(p, state);
}

static enum spin_completion_rc hammer_message_completion(struct spin_completion *c, struct hammer_state *state)
{
	struct pad *pad = SPIN_SCRATCH(c);

	if (pad->runs != pad->locked || pad->bytes != c->length)
		spin_add32(&state->wrong, 1);
	spin_add32(&state->messages, 1);
	spin_add32(&state->message_packets, pad->runs);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(hammer_message, .payload = hammer_message_payload, .message_completion = hammer_message_completion,
	      .delivery = SPIN_DELIVER_ME);
