/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * first_bytes - lets the first bytes of each TCP connection through, and counts; for `make demo` and tests/cli/spind.sh
 *
 * Later bytes are acknowledged and never read, so their sender continues at full speed. A server's short conversations work, and its long
 * ones are cut off. If `most` is 0, nothing is dropped.
 */
#include <spin/spin.h>

struct first_bytes {
	uint32_t most; /* bytes per connection */
	uint32_t passed_kib, dropped_kib;
	uint32_t bytes[SPIN_CONNECTIONS_MAX]; /* so far, saturated */
};

SPIN_STATE(struct first_bytes);

static enum spin_header_rc first_bytes_header(struct spin_header *h, struct first_bytes *state)
{
	state->bytes[spin_connection(h) & (SPIN_CONNECTIONS_MAX - 1)] = 0;
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc first_bytes_payload(struct spin_payload *p, struct first_bytes *state)
{
	uint32_t *bytes = &state->bytes[spin_connection(p) & (SPIN_CONNECTIONS_MAX - 1)];
	const uint32_t before = *bytes;
	uint32_t after = before + p->length;

	if (after < before)
		after = 0xffffffff;
	*bytes = after;
	if (state->most && after > state->most) {
		spin_add32(&state->dropped_kib, (after >> 10) - (before >> 10));
		return SPIN_DROP;
	}
	spin_add32(&state->passed_kib, (after >> 10) - (before >> 10));
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(first_bytes, .header = first_bytes_header, .payload = first_bytes_payload);
