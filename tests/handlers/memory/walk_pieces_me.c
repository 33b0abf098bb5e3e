/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * walk_pieces_me - for packets of messages: goes through the payload by SPIN_FOR_EACH in pieces of 12, 16, 64 and 68 bytes, counts the
 * pieces and sums their last words (walk_pieces.h, with walk_pieces.c for datagrams). For tests/vectors/walk.
 */
#include <spin/spin.h>

#include "walk_pieces.h"

SPIN_STATE(struct walked);

static enum spin_payload_rc walk_pieces_me_payload(struct spin_payload *p, struct walked *state)
{
	WALK_PIECES(p, state);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(walk_pieces_me, .payload = walk_pieces_me_payload, .delivery = SPIN_DELIVER_ME);
