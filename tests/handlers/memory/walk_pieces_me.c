/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* walk_pieces_me - walk_pieces (walk_pieces.h) for packets of messages. For tests/vectors/walk. */
#include <spin/spin.h>

#include "walk_pieces.h"

SPIN_STATE(struct walked);

static enum spin_payload_rc walk_pieces_me_payload(struct spin_payload *p, struct walked *state)
{
	WALK_PIECES(p, state);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(walk_pieces_me, .payload = walk_pieces_me_payload, .delivery = SPIN_DELIVER_ME);
