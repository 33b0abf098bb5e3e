/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_stream - stores each byte of two TCP connections, to an even and an odd port, at its offset in the stream (seg_stream.h), also of
 * segments that it drops. However a stream is cut, the bytes must be the same. For tests/segments/stream_is_cut_anyhow.c.
 */
#include <spin/spin.h>

#include "seg_stream.h"

SPIN_STATE(struct seg_streams);

#define STREAM(v, state) (&(state)->stream[spin_ntoh16(spin_dst_port(v)) & 1])

static enum spin_header_rc seg_stream_header(struct spin_header *h, struct seg_streams *state)
{
	STREAM(h, state)->headers++;
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc seg_stream_payload(struct spin_payload *p, struct seg_streams *state)
{
	STREAM(p, state)->payloads++;
	if (spin_ntoh16(spin_dst_port(p)) & 1)
		SPIN_FOR_EACH_WITH(p, uint8_t, byte, state->odd, p->offset, seen)
			*seen = SEG_STREAM_SEEN | *byte;
	else
		SPIN_FOR_EACH_WITH(p, uint8_t, byte, state->even, p->offset, seen)
			*seen = SEG_STREAM_SEEN | *byte;
	return spin_ttl(p) & SEG_STREAM_DROPS ? SPIN_DROP : SPIN_SUCCESS;
}

static enum spin_completion_rc seg_stream_completion(struct spin_completion *c, struct seg_streams *state)
{
	struct seg_stream *stream = STREAM(c, state);

	stream->completions++;
	stream->length = c->length;
	stream->dropped_bytes = c->dropped_bytes;
	stream->flow_control = c->flow_control_triggered;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(seg_stream, .header = seg_stream_header, .payload = seg_stream_payload, .message_completion = seg_stream_completion,
	      .delivery = SPIN_DELIVER_SEGMENTS);
