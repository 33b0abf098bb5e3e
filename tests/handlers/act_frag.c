/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* act_frag - messages in pieces of 8 bytes, with a user header of 8. */
#include <spin/spin.h>

struct pieces { uint32_t packets, bytes, unaligned, unused; };
SPIN_STATE(struct pieces);

static enum spin_payload_rc act_frag_payload(struct spin_payload *p, struct pieces *state)
{
	spin_add32(&state->packets, 1);
	spin_add32(&state->bytes, p->length);
	if (p->offset % 8 || p->length % 8)
		spin_add32(&state->unaligned, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(act_frag, .payload = act_frag_payload, .delivery = SPIN_DELIVER_ME, .fragmentation_bytes = 8,
	      .user_header_bytes = 8);
