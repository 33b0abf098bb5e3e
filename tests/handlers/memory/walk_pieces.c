/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* walk_pieces - datagrams: SPIN_FOR_EACH over pieces of 12, 16, 64 and 68 bytes (walk_pieces.h). For tests/vectors/walk. */
#include <spin/spin.h>

#include "walk_pieces.h"

SPIN_STATE(struct walked);

static enum spin_payload_rc walk_pieces_payload(struct spin_payload *p, struct walked *state)
{
	WALK_PIECES(p, state);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(walk_pieces, .payload = walk_pieces_payload);
