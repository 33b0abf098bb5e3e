/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * endless - a piece of a TCP stream that starts with 'x' makes the payload handler loop until the work limit of the isolated class
 * (handlers loaded without CAP_PERFMON) ends it. So does a new connection the header handler, while the application has set
 * `loop_in_header`. For tests/sockets/streams_are_whole.c.
 */
#include <spin/spin.h>

#include "endless_rounds.h"

struct endless {
	uint32_t rounds, pieces, headers, loop_in_header; /* pieces, headers: counted before a handler loops */
};

SPIN_STATE(struct endless);

static enum spin_header_rc endless_header(struct spin_header *h, struct endless *state)
{
	(void)h;
	spin_add32(&state->headers, 1);
	if (spin_load32(&state->loop_in_header))
		while (ENDLESS_ROUNDS)
			state->rounds++;
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc endless_payload(struct spin_payload *p, struct endless *state)
{
	const uint8_t *first = SPIN_GET(p, 0, uint8_t);

	spin_add32(&state->pieces, 1);
	if (first && *first == 'x')
		while (ENDLESS_ROUNDS)
			state->rounds++;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(endless, .header = endless_header, .payload = endless_payload);
