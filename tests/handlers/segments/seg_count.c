/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_count - counts what handlers of TCP segments are given; for the tests of the NIC model in tests/segments (model*.c)
 *
 * The first byte of a payload says what its handler does: 'D' drops, 'F' fails, 'R' returns REPLIED, which segments do not support, 'W'
 * writes over the first four bytes, 'X' returns 99, no return code. The port of the peer says what the header handler does (seg_count.h).
 */
#include <spin/spin.h>
#include <spin/wire.h>

#include "seg_count.h"

SPIN_STATE(struct seg_count);

static enum spin_header_rc seg_count_header(struct spin_header *h, struct seg_count *state)
{
	const uint32_t port = spin_ntoh16(spin_src_port(h)), flags = spin_tcp_flags(h);

	spin_add32(&state->headers, 1);
	spin_add32(&state->syns, !!(flags & SPIN_TCP_SYN));
	spin_add32(&state->unknown, h->length == SPIN_LENGTH_UNKNOWN);
	spin_add32(&state->wrong, spin_protocol(h) != SPIN_IP_TCP || h->offset || h->type != SPIN_TYPE_PUT);
	state->header_connection = spin_connection(h);
	if (port == SEG_PORT_DROP)
		return SPIN_HEADER_DROP;
	if (port == SEG_PORT_PROCEED)
		return SPIN_HEADER_PROCEED;
	if (port == SEG_PORT_COMPLETE)
		return SPIN_HEADER_PROCEED_COMPLETE;
	return port == SEG_PORT_FAIL ? SPIN_HEADER_FAIL : SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc seg_count_payload(struct spin_payload *p, struct seg_count *state)
{
	const uint8_t *first = SPIN_GET(p, 0, uint8_t);
	uint32_t sum = 0, at = p->offset;

	if (!first)
		return SPIN_SEGV;
	spin_add32(&state->payloads, 1);
	state->payload_connection = spin_connection(p);
	state->offset = p->offset;
	state->payload_length = p->length;
	state->flags = spin_tcp_flags(p);
	if (*first == 'D')
		return SPIN_DROP;
	if (*first == 'F')
		return SPIN_FAIL;
	if (*first == 'R')
		return SPIN_REPLIED;
	if (*first == 'X')
		return (enum spin_payload_rc)99;
	if (*first == 'W') {
		const uint32_t *word = SPIN_GET(p, 0, uint32_t);

		if (word)
			spin_set32(p, word, spin_hton32(SEG_WRITTEN));
	}
	SPIN_FOR_EACH(p, uint8_t, byte) {
		at++;
		sum += *byte * at;
	}
	spin_add32(&state->bytes, p->length);
	spin_add32(&state->sum, sum);
	return SPIN_SUCCESS;
}

static enum spin_completion_rc seg_count_completion(struct spin_completion *m, struct seg_count *state)
{
	spin_add32(&state->completions, 1);
	spin_add32(&state->length, m->length);
	spin_add32(&state->dropped_bytes, m->dropped_bytes);
	spin_add32(&state->flow_control, m->flow_control_triggered);
	state->end_connection = spin_connection(m);
	state->end_flags = spin_tcp_flags(m);
	state->end_port = spin_ntoh16(spin_src_port(m));
	state->end_length = m->length;
	state->end_dropped = m->dropped_bytes;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(seg_count, .header = seg_count_header, .payload = seg_count_payload, .message_completion = seg_count_completion,
	      .delivery = SPIN_DELIVER_SEGMENTS);
