/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_SEGMENT_H
#define BPF_SEGMENT_H

/*
 * Handles one TCP segment: finds or begins its connection, runs the handlers, records which bytes were accepted, and ends the
 * connection. These are steps 6 to 12 of <spin/segment.h>, whose terms are used here. Called by packet.h. HPUs can race at three points,
 * and one atomic operation decides each race: which HPU begins a connection (spin_connection_claim()), records bytes (the connection's
 * lock), and runs the completion handler (spin_connection_leave()).
 */
#include "bpf/messages/message_state.h"
#include "bpf/run.h"
#include "bpf/segments/accept.h"

/* What the host's own TCP says of a segment: kernel_socket.h, context_host.h. */
enum spin_host_answer {
	SPIN_HOST_UNKNOWN,  /* it has no such connection, or none yet */
	SPIN_HOST_TAKES,    /* it may read payload of this segment */
	SPIN_HOST_DISCARDS, /* it would not */
};

/* A segment that is being handled, and the connection that it belongs to. */
struct spin_tcp_segment {
	struct spin_segment_key key;
	uint32_t number; /* of its connection; SPIN_CONNECTION_NONE */
	uint32_t state;  /* of that, as found */
	uint32_t seq, start, end, bytes;
	uint32_t now; /* ticks */
	uint8_t flags;
};

SPIN_INLINE enum spin_host_answer spin_ask_host(const struct spin_packet *packet, const struct spin_tcp_segment *s);

SPIN_INLINE _Bool spin_segment_has_(const struct spin_tcp_segment *s, uint8_t flag)
{
	return s->flags & flag;
}

/* Reads a segment's header and finds its connection. */
SPIN_INLINE void spin_segment_of_(const struct spin_view *view, const struct spin_datagram *d, struct spin_tcp_segment *s)
{
	const struct spin_tcp *tcp = (const void *)d->udp;

	s->flags = tcp->flags;
	s->seq = spin_ntoh32(tcp->seq);
	s->start = s->seq + spin_segment_has_(s, SPIN_TCP_SYN);
	s->bytes = d->payload_bytes;
	s->end = s->start + s->bytes;
	s->now = spin_now();
	spin_segment_key_of(view, d, &s->key);
	s->number = spin_verifier_forget32(spin_connection_find(view, &s->key, SPIN_CONNECTION_NONE));
	s->state = s->number < SPIN_CONNECTION_NONE ? spin_load32(&spin_connection_at(s->number)->state) : (uint32_t)SPIN_CONNECTION_FREE;
}

/* Step 6, and the question of step 7. Returns 1 if the segment begins a connection; else *reason is SPIN_PARSED if it belongs to one. */
SPIN_INLINE _Bool spin_segment_begins_(const struct spin_tcp_segment *s, const struct spin_packet *packet, enum spin_reason *reason)
{
	const struct spin_connection *c = spin_connection_at(s->number);
	const uint32_t phase = s->state & SPIN_CONNECTION_PHASE_, next = spin_read_once(&c->next);
	const _Bool rst = spin_segment_has_(s, SPIN_TCP_RST), other = spin_segment_has_(s, SPIN_TCP_SYN) && s->start != c->first;
	enum spin_host_answer answer;
	_Bool repeats = 0;

	*reason = SPIN_PARSED;
	if (spin_likely(phase == SPIN_CONNECTION_OPEN || phase == SPIN_CONNECTION_REFUSED)) {
		if (spin_likely(rst || !other))
			return 0;
	} else if (phase == SPIN_CONNECTION_ENDED) {
		repeats = !other && !spin_after_(s->end, next);
		*reason = SPIN_REASON_PROCEEDED;
		if (rst || !(other || s->bytes))
			return 0;
	} else if (phase == SPIN_CONNECTION_FREE || spin_connection_is_stuck(c, s->now)) {
		*reason = SPIN_REASON_PROCEEDED;
		if (rst || !(spin_segment_has_(s, SPIN_TCP_SYN) || s->bytes))
			return 0;
	} else {
		*reason = SPIN_REASON_NO_MPQ;
		return 0;
	}
	answer = spin_ask_host(packet, s);
	*reason = SPIN_REASON_PROCEEDED;
	return answer == SPIN_HOST_TAKES || (answer == SPIN_HOST_UNKNOWN && !repeats);
}

/*
 * Step 7: claims a place and runs the header handler. Returns SPIN_PARSED if the connection is open; this HPU has then entered it. Sets
 * *completes if the completion handler must run for a connection that is refused.
 */
SPIN_INLINE enum spin_reason spin_segment_begin_(struct spin_tcp_segment *s, struct spin_packet *packet, struct spin_handlers_result *out,
						 _Bool *completes)
{
	enum spin_reason reason;
	struct spin_connection *c;
	_Bool proceed_completes = 0;

	s->number = spin_verifier_forget32(spin_connection_claim(&packet->view, &s->key, s->number, s->now));
	if (s->number >= SPIN_CONNECTION_NONE)
		return SPIN_REASON_NO_MPQ;
	c = spin_connection_at(s->number);
	c->first = c->next = c->fin = s->start;
	c->flags = 0;
	c->bytes = c->dropped_bytes = 0;
	c->accepted = 0;
	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_SEGMENT_RANGES; i++)
		c->range[i][0] = c->range[i][1] = 0;
	packet->mpq = spin_barrier_var_(s->number); /* else the compiler drops the mask with which a handler bounds it */
	packet->bytes = s->bytes;
	reason = spin_run_header_of_(packet, SPIN_LENGTH_UNKNOWN, out, &proceed_completes);
	reason = spin_verifier_forget32(reason) & 63; /* one state for the verifier */
	if (reason == SPIN_PARSED || reason == SPIN_REASON_PROCEEDED) {
		if (reason == SPIN_REASON_PROCEEDED)
			c->flags = SPIN_CONNECTION_PASSES | (proceed_completes ? 0 : SPIN_CONNECTION_SILENT);
		(void)spin_fetch_add(&c->state, SPIN_CONNECTION_OPEN - SPIN_CONNECTION_BEGINNING + SPIN_CONNECTION_RUN_);
		return SPIN_PARSED;
	}
	c->dropped_bytes = s->bytes;
	*completes = reason == SPIN_REASON_HEADER_DROPPED;
	if (!*completes)
		spin_connection_becomes(c, SPIN_CONNECTION_BEGINNING, SPIN_CONNECTION_REFUSED);
	return reason;
}

/* Runs the payload handler on a segment. Returns the packet's reason. */
SPIN_INLINE enum spin_reason spin_segment_run_payload_(const struct spin_tcp_segment *s, const struct spin_connection *c,
						       struct spin_packet *packet, struct spin_handlers_result *out)
{
	struct spin_payload payload = { .length = s->bytes, .offset = s->start - c->first, .packet = packet };
	uint32_t rc;

	packet->bytes = s->bytes;
	spin_run_begins(packet);
	rc = spin_run_ends(packet, spin_handlers_.payload(&payload, &spin_state));
	if (rc == SPIN_RC_SUCCESS)
		return SPIN_REASON_SUCCESS;
	if (rc == SPIN_RC_DROP)
		return SPIN_REASON_DROPPED;
	return spin_error_reason_(out, rc, SPIN_KIND_PAYLOAD); /* also REPLIED */
}

/* Steps 9 to 11, for a segment of an open connection that this HPU has entered. */
SPIN_INLINE enum spin_reason spin_segment_handle_(const struct spin_tcp_segment *s, struct spin_connection *c, struct spin_packet *packet,
						  struct spin_handlers_result *out)
{
	/* the sum is at most twice the reach if `start` is within the reach of `next`, on either side */
	const uint32_t is_near = spin_below_(s->start - spin_read_once(&c->next) + SPIN_SEGMENT_REACH, 2 * SPIN_SEGMENT_REACH + 1);
	const _Bool fin = spin_segment_has_(s, SPIN_TCP_FIN);
	enum spin_reason reason = SPIN_REASON_PROCEEDED;
	uint32_t accepted = SPIN_ACCEPTED;
	_Bool is_done;

	if (spin_unlikely(spin_segment_has_(s, SPIN_TCP_RST))) {
		is_done = s->seq == spin_read_once(&c->next);
	} else {
		if (spin_unlikely(s->bytes && is_near && !spin_accept_has_room(c, s->start, s->end)))
			reason = SPIN_REASON_BEYOND_WINDOW;
		else if (spin_handlers_.payload && s->bytes && spin_likely(!(spin_read_once(&c->flags) & SPIN_CONNECTION_PASSES)))
			reason = spin_segment_run_payload_(s, c, packet, out);
		reason = spin_verifier_forget32(reason) & 31; /* one state for the verifier */
		if (spin_likely(is_near & (s->bytes || fin)) &&
		    spin_likely(reason == SPIN_REASON_SUCCESS || reason == SPIN_REASON_PROCEEDED)) {
			accepted = spin_accept(&packet->view, s->number, s->start, s->end, fin);
			if (spin_unlikely(accepted == SPIN_NOT_ACCEPTED))
				reason = SPIN_REASON_BEYOND_WINDOW;
		}
		reason = spin_verifier_forget32(reason) & 31;
		if (spin_unlikely(reason == SPIN_REASON_BEYOND_WINDOW))
			(void)spin_fetch_or(&c->flags, SPIN_CONNECTION_BLOCKED);
		if (spin_likely(reason == SPIN_REASON_SUCCESS || reason == SPIN_REASON_PROCEEDED))
			spin_write_once(&c->accepted, c->accepted + is_near); /* an estimate: no atomic */
		else
			(void)spin_fetch_add(&c->dropped_bytes, (uint64_t)s->bytes);
		is_done = accepted == SPIN_ACCEPTED_LAST;
	}
	if (spin_unlikely(is_done))
		(void)spin_fetch_or(&c->state, SPIN_CONNECTION_DONE_);
	return reason;
}

SPIN_INLINE uint32_t spin_segment_saturated_(uint64_t bytes)
{
	return bytes < SPIN_LENGTH_UNKNOWN ? (uint32_t)bytes : SPIN_LENGTH_UNKNOWN;
}

/* Step 12, and the end of a connection that was refused: runs the completion handler. */
SPIN_INLINE void spin_segment_complete_(struct spin_connection *c, struct spin_packet *packet, struct spin_handlers_result *out)
{
	struct spin_completion completion = {
		.dropped_bytes = spin_segment_saturated_(spin_read_once(&c->dropped_bytes)),
		.flow_control_triggered = (spin_read_once(&c->flags) & SPIN_CONNECTION_BLOCKED) != 0,
		.length = spin_segment_saturated_(c->bytes),
		.packet = packet,
	};
	uint32_t rc;

	if (!spin_has_completion() || spin_read_once(&c->flags) & SPIN_CONNECTION_SILENT)
		return;
	rc = spin_call_completion(&completion);
	if ((rc & ~(uint32_t)SPIN_RC_PENDING) != SPIN_RC_SUCCESS)
		(void)spin_error_reason_(out, rc, SPIN_KIND_COMPLETION);
}

/* For the verifier: all paths up to here are one state. */
SPIN_INLINE void spin_segment_merge_(const struct spin_packet *packet, struct spin_tcp_segment *s, struct spin_handlers_result *out)
{
	s->number = spin_verifier_forget32(s->number);
	out->error = spin_verifier_forget32(out->error);
	out->error_in = spin_verifier_forget32(out->error_in);
	if (packet->view.access == SPIN_COPIED) /* the segment is in memory that the verifier does not track */
		spin_compiler_barrier_();
}

/* Steps 6 to 8. Returns SPIN_PARSED if the segment belongs to an open connection, which this HPU has entered. */
SPIN_INLINE enum spin_reason spin_segment_enter_(struct spin_tcp_segment *s, struct spin_packet *packet, struct spin_handlers_result *out,
						 _Bool *refused)
{
	enum spin_reason reason;

	if (spin_unlikely(spin_segment_begins_(s, packet, &reason)))
		return spin_segment_begin_(s, packet, out, refused);
	if (reason != SPIN_PARSED)
		return reason;
	if (spin_unlikely((s->state & SPIN_CONNECTION_PHASE_) == SPIN_CONNECTION_REFUSED))
		return SPIN_REASON_HEADER_DROPPED;
	spin_write_once(&spin_connection_at(s->number)->last, s->now); /* before the handler: while it runs, it is not stuck */
	return spin_likely(spin_connection_enter(spin_connection_at(s->number), &s->key)) ? SPIN_PARSED : SPIN_REASON_NO_MPQ;
}

/* Fills in out->reason and out->error. The packet's fields are set, except for `mpq` and `bytes`. */
SPIN_INLINE void spin_run_segment(const struct spin_view *view, const struct spin_datagram *d, struct spin_packet *packet,
				  struct spin_handlers_result *out)
{
	struct spin_tcp_segment local, *s = &local;
	struct spin_connection *c;
	enum spin_reason reason;
	_Bool completes = 0, refused = 0;

	if (view->access == SPIN_COPIED) /* saves stack for the handlers, too */
		s = (struct spin_tcp_segment *)(uintptr_t)&view->scratch[1];
	_Static_assert(sizeof(*s) <= 8 * (SPIN_SCRATCH_WORDS - 1), "it is in a copied packet's scratch words");
	out->error = 0;
	out->error_in = SPIN_KIND_HEADER;
	spin_segment_of_(view, d, s);
	reason = spin_verifier_forget32(spin_segment_enter_(s, packet, out, &refused)) & 63;
	refused = spin_verifier_forget32(refused) & 1;
	spin_segment_merge_(packet, s, out);
	packet->mpq = spin_barrier_var_(s->number);
	c = spin_connection_at(s->number);
	if (spin_likely(reason == SPIN_PARSED)) {
		reason = spin_segment_handle_(s, c, packet, out);
		completes = spin_connection_leave(c);
	}
	reason = spin_verifier_forget32(reason) & 31;
	completes = (spin_verifier_forget32(completes) & 1) | refused;
	spin_segment_merge_(packet, s, out);
	c = spin_connection_at(s->number);
	if (spin_unlikely(completes)) {
		spin_segment_complete_(c, packet, out);
		spin_connection_becomes(c, refused ? SPIN_CONNECTION_BEGINNING : SPIN_CONNECTION_ENDING,
					refused ? SPIN_CONNECTION_REFUSED : SPIN_CONNECTION_ENDED);
	}
	if (spin_unlikely(out->error) && s->number < SPIN_CONNECTION_NONE &&
	    spin_fetch_or(&c->flags, SPIN_CONNECTION_FAILED) & SPIN_CONNECTION_FAILED)
		out->error = 0; /* not the connection's first error */
	out->reason = reason;
}

#endif
