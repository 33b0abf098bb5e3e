/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * endless - a piece of a TCP stream that starts with 'x' makes the handler loop until the work limit of the isolated class (handlers loaded
 * without CAP_PERFMON) ends it; for tests/sockets/streams_are_whole.c.
 */
#include <spin/spin.h>

#include "endless_rounds.h"

struct endless {
	uint32_t rounds, pieces;
};

SPIN_STATE(struct endless);

static enum spin_payload_rc endless_payload(struct spin_payload *p, struct endless *state)
{
	const uint8_t *first = SPIN_GET(p, 0, uint8_t);

	spin_add32(&state->pieces, 1);
	if (first && *first == 'x')
		while (ENDLESS_ROUNDS)
			state->rounds++;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(endless, .payload = endless_payload);
