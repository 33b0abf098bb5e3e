/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * endless_end - a piece of a TCP stream that starts with 'x' makes the payload handler loop until the work limit of the isolated class
 * (handlers loaded without CAP_PERFMON) ends it; a connection that has sent 'e' at the start of a piece makes the completion handler loop.
 * For tests/sockets/streams_of_others.c.
 */
#include <spin/spin.h>

#include "endless_rounds.h"

struct endless_end {
	uint32_t rounds, pieces, ends; /* pieces, ends: counted before a handler loops */
	uint32_t missed;               /* spin_connections_missed(), as of the last piece */
	uint32_t loops[SPIN_CONNECTIONS_MAX];
};

SPIN_STATE(struct endless_end);

static enum spin_header_rc endless_end_header(struct spin_header *h, struct endless_end *state)
{
	state->loops[spin_connection(h) & (SPIN_CONNECTIONS_MAX - 1)] = 0;
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc endless_end_payload(struct spin_payload *p, struct endless_end *state)
{
	const uint8_t *first = SPIN_GET(p, 0, uint8_t);

	state->missed = spin_connections_missed(p);
	spin_add32(&state->pieces, 1);
	if (first && *first == 'e')
		state->loops[spin_connection(p) & (SPIN_CONNECTIONS_MAX - 1)] = 1;
	if (first && *first == 'x')
		while (ENDLESS_ROUNDS)
			state->rounds++;
	return SPIN_SUCCESS;
}

static enum spin_completion_rc endless_end_completion(struct spin_completion *m, struct endless_end *state)
{
	const uint32_t loops = state->loops[spin_connection(m) & (SPIN_CONNECTIONS_MAX - 1)];

	spin_add32(&state->ends, 1);
	if (loops)
		while (ENDLESS_ROUNDS)
			state->rounds++;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(endless_end, .header = endless_end_header, .payload = endless_end_payload, .message_completion = endless_end_completion);
