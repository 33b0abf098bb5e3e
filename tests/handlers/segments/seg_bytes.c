/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_bytes - adds up the payload bytes of TCP segments, without a header and a completion handler, and with only the headers in L1. It
 * drops payloads that begin with 'D'. For tests/segments/model_parses_segments.c and tests/sockets/segments_on_sockets.c.
 */
#include <spin/spin.h>

struct seg_bytes {
	uint32_t payloads, bytes, sum;
};

SPIN_STATE(struct seg_bytes);

static enum spin_payload_rc seg_bytes_payload(struct spin_payload *p, struct seg_bytes *state)
{
	const uint8_t *first = SPIN_GET(p, 0, uint8_t);
	uint32_t sum = 0;

	if (!first)
		return SPIN_SEGV;
	if (*first == 'D')
		return SPIN_DROP;
	SPIN_FOR_EACH(p, uint8_t, byte)
		sum += *byte;
	spin_add32(&state->payloads, 1);
	spin_add32(&state->bytes, p->length);
	spin_add32(&state->sum, sum);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(seg_bytes, .payload = seg_bytes_payload, .bytes_in_l1 = SPIN_HEADERS_ONLY, .delivery = SPIN_DELIVER_SEGMENTS);
