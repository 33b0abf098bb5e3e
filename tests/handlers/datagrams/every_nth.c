/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * every_nth - drops every n-th datagram of iperf3 (a network benchmark), passes the others, and counts both; for `make demo` and
 * tests/vectors/every_nth
 *
 * A datagram of iperf3 starts with the time and its number, 32 bits each in network byte order. The first one of a flow is too short to
 * have a number, and is passed.
 */
#include <spin/spin.h>

struct head {
	spin_be32 sec, usec, number;
};

struct every_nth {
	uint32_t drop_every; /* 0: none */
	uint32_t passed, dropped;
};

SPIN_STATE(struct every_nth);

static enum spin_payload_rc every_nth_payload(struct spin_payload *p, struct every_nth *state)
{
	const struct head *head = SPIN_GET(p, 0, struct head);
	uint32_t every = state->drop_every;

	if (head && every && spin_ntoh32(head->number) % every == 0) {
		spin_add32(&state->dropped, 1);
		return SPIN_DROP;
	}
	spin_add32(&state->passed, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(every_nth, .payload = every_nth_payload);
