/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * from_source - passes what sources in a table send, and of others only the beginning; for `make demo` and tests/vectors/from_source
 *
 * The beginning is a datagram of at most `most` bytes, or the first `most` bytes of a TCP connection, as they arrive. So a server can greet a
 * client that is not in the table, and gets none of its data. What is filtered on TCP is acknowledged and never read.
 */
#include <spin/spin.h>

struct source {
	SPIN_KEY(spin_be32, src);
	SPIN_COUNTER(packets); /* passed */
};

struct from_source {
	uint32_t most;
	uint32_t beginnings, filtered;        /* packets of other sources */
	uint32_t bytes[SPIN_CONNECTIONS_MAX]; /* of their connections so far, saturated */
};

SPIN_TABLE(sources, struct source, 64);
SPIN_STATE(struct from_source);

static enum spin_header_rc from_source_header(struct spin_header *h, struct from_source *state)
{
	const uint32_t connection = spin_connection(h);

	if (connection != SPIN_NO_CONNECTION)
		state->bytes[connection & (SPIN_CONNECTIONS_MAX - 1)] = 0;
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc from_source_payload(struct spin_payload *p, struct from_source *state)
{
	const uint32_t connection = spin_connection(p);
	struct source *source = SPIN_FIND(sources, spin_src_addr4(p));
	uint32_t bytes = p->length;

	if (source) {
		spin_count(&source->packets, 1);
		return SPIN_SUCCESS;
	}
	if (connection != SPIN_NO_CONNECTION) {
		uint32_t *sum = &state->bytes[connection & (SPIN_CONNECTIONS_MAX - 1)];

		bytes += *sum;
		*sum = bytes < *sum ? 0xffffffff : bytes;
		bytes = *sum;
	}
	if (bytes > state->most) {
		spin_add32(&state->filtered, 1);
		return SPIN_DROP;
	}
	spin_add32(&state->beginnings, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(from_source, .header = from_source_header, .payload = from_source_payload);
