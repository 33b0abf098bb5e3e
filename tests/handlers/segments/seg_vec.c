/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_vec - TCP segments: every handler returns the code that the application has set, and records its arguments. For
 * tests/vectors/segments, tests/vectors/segments_returns and tests/vectors/segments_wire. Nothing here depends on
 * the number of a connection, which differs between engines.
 */
#include <spin/spin.h>

struct seg_vec {
	uint32_t header_rc, payload_rc, completion_rc; /* set by the application */
	uint32_t order;                                /* a hex digit per handler run: 1 header, 2 payload, 3 completion */
	uint32_t header_length, header_flags;          /* of the last run, as the next ones */
	uint32_t payload_length, offset, flags, first_bytes;
	uint32_t src, dst, ports, protocol;
	uint32_t length, dropped_bytes, flow_control; /* arguments of the completion handler */
	uint32_t end_flags;                           /* its packet's */
	uint32_t payload_bytes;                       /* of all segments handled, also twice */
	uint32_t strangers;                           /* not 0: a packet had no connection's number */
};

SPIN_STATE(struct seg_vec, .header_rc = SPIN_HEADER_PROCESS_DATA);

/* 0 for a connection's number. A mask, because of a comparison the verifier would follow both outcomes. */
#define NO_NUMBER(v) (spin_connection(v) & ~(SPIN_CONNECTIONS_MAX - 1))

static enum spin_header_rc seg_vec_header(struct spin_header *h, struct seg_vec *state)
{
	state->order = state->order << 4 | 1;
	state->header_length = h->length;
	state->header_flags = spin_tcp_flags(h);
	state->strangers |= NO_NUMBER(h);
	return (enum spin_header_rc)state->header_rc;
}

static enum spin_payload_rc seg_vec_payload(struct spin_payload *p, struct seg_vec *state)
{
	const uint16_t *half = SPIN_GET(p, 0, uint16_t);

	state->order = state->order << 4 | 2;
	state->payload_length = p->length;
	state->payload_bytes += p->length;
	state->offset = p->offset;
	state->flags = spin_tcp_flags(p);
	state->first_bytes = half ? spin_ntoh16(*half) : 0;
	state->src = spin_src_addr4(p);
	state->dst = spin_dst_addr4(p);
	state->ports = (uint32_t)spin_ntoh16(spin_src_port(p)) << 16 | spin_ntoh16(spin_dst_port(p));
	state->protocol = spin_protocol(p);
	state->strangers |= NO_NUMBER(p);
	return (enum spin_payload_rc)state->payload_rc;
}

static enum spin_completion_rc seg_vec_completion(struct spin_completion *c, struct seg_vec *state)
{
	state->order = state->order << 4 | 3;
	state->length = c->length;
	state->dropped_bytes = c->dropped_bytes;
	state->flow_control = c->flow_control_triggered;
	state->end_flags = spin_tcp_flags(c);
	state->strangers |= NO_NUMBER(c);
	return (enum spin_completion_rc)state->completion_rc;
}

SPIN_HANDLERS(seg_vec, .header = seg_vec_header, .payload = seg_vec_payload, .message_completion = seg_vec_completion,
	      .delivery = SPIN_DELIVER_SEGMENTS);
