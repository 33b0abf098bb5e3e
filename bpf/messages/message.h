/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_MESSAGE_H
#define BPF_MESSAGE_H

/*
 * Handles one packet of a message: finds or begins the message, parks the packet (keeps it until the message's first packet has been
 * handled) or runs its handlers, completes the message, and then handles parked packets. These are steps 6 to 13 of <spin/message.h>,
 * whose terms are used here. Called by packet.h for a packet that arrives, and by context.bpf.c and context.host.c for one that was
 * parked. HPUs can race at four points, and one atomic operation decides each race: which HPU opens a message (flow.h), runs its header
 * handler (its phase), handles a packet (window.h), and completes it (`done`).
 */
#include "bpf/messages/message_begin.h"
#include "bpf/messages/message_request.h"

/* The default action: stores the payload in the entry's memory, and cuts it off at the end of the message's range. */
SPIN_INLINE enum spin_reason spin_message_deposit_(const struct spin_message *m, const struct spin_packet *packet, struct spin_mpq *q)
{
	uint32_t bytes = m->slmp.bytes, room = q->place_bytes;

	room = m->slmp.offset < room ? room - m->slmp.offset : 0;
	if (bytes > room)
		bytes = room;
	if (bytes && !spin_payload_to_host_(packet, SPIN_ME_MEM, m->slmp.offset, 0, bytes)) {
		spin_fetch_add(&q->deposited_bytes, bytes);
		spin_fetch_add(&spin_me_at(q->me)->bytes, (uint64_t)bytes);
	}
	return SPIN_REASON_PROCEEDED;
}

/* Returns the packet's bytes, rounded down to whole pieces of fragmentation_bytes. Only a message's last packet may have a rest. */
SPIN_INLINE uint32_t spin_message_whole_(const struct spin_message *m)
{
	return spin_handlers_.fragmentation_bytes > 1 ? m->slmp.bytes & ~(spin_handlers_.fragmentation_bytes - 1u) : m->slmp.bytes;
}

/* Runs the payload handler on a message's packet, without the user header if that is in it. Returns the packet's reason. */
SPIN_INLINE enum spin_reason spin_message_run_payload_(const struct spin_message *m, struct spin_packet *packet)
{
	uint32_t skip = m->slmp.offset ? 0 : spin_handlers_.user_header_bytes, rc;
	struct spin_payload payload = { .length = spin_message_whole_(m) - skip, .offset = m->slmp.offset + skip, .packet = packet };

	if (spin_handlers_.user_header_bytes)
		packet->payload =
			(uint8_t *)spin_barrier_pointer_(packet->payload + (spin_barrier_var_(skip) & (2 * SPIN_USER_HEADER_MAX - 1)));
	packet->bytes = payload.length;
	spin_run_begins(packet);
	rc = spin_run_ends(packet, spin_handlers_.payload(&payload, &spin_state));
	spin_report_run(m->mpq, m->hpu, SPIN_KIND_PAYLOAD, m->slmp.offset);
	switch (rc) {
	case SPIN_RC_SUCCESS:
		return SPIN_REASON_SUCCESS;
	case SPIN_RC_DROP:
		return SPIN_REASON_DROPPED;
	default:
		return spin_message_error(m->mpq, m->hpu, rc, SPIN_KIND_PAYLOAD);
	}
}

/* Step 11, for a claimed packet. */
SPIN_INLINE enum spin_reason spin_message_run_(const struct spin_message *m, struct spin_packet *packet, struct spin_mpq *q)
{
	enum spin_reason verdict = spin_mpq_verdict(q), reason = verdict;
	uint32_t skip = m->slmp.offset ? 0 : spin_handlers_.user_header_bytes, whole = spin_message_whole_(m);

	packet->bytes = m->slmp.bytes;
	if (spin_handlers_.takes && m->slmp.type != SPIN_TYPE_PUT &&
	    (verdict == SPIN_REASON_PROCEEDED ||
	     (verdict == SPIN_REASON_SUCCESS &&
	      (m->slmp.type == SPIN_TYPE_GET || !spin_handlers_.payload || (whole <= skip && whole == m->slmp.bytes)))))
		reason = spin_message_request(m, packet, q);
	else if (spin_likely(verdict == SPIN_REASON_SUCCESS) && spin_handlers_.payload && whole > skip)
		reason = spin_message_run_payload_(m, packet);
	else if (verdict == SPIN_REASON_SUCCESS && spin_handlers_.payload && whole != m->slmp.bytes)
		reason = SPIN_REASON_DROPPED; /* shorter than one piece */
	else if (verdict == SPIN_REASON_SUCCESS || verdict == SPIN_REASON_PROCEEDED)
		reason = spin_message_deposit_(m, packet, q);
	reason = spin_verifier_forget32(reason) & 31; /* one state for the verifier */
	if (spin_unlikely(reason != SPIN_REASON_SUCCESS && reason != SPIN_REASON_PROCEEDED))
		spin_fetch_add(&q->dropped_bytes, m->slmp.bytes);
	else if (spin_handlers_.fragmentation_bytes > 1 && spin_handlers_.payload && reason == SPIN_REASON_SUCCESS &&
		 spin_unlikely(whole != m->slmp.bytes))
		spin_fetch_add(&q->dropped_bytes, m->slmp.bytes - whole);
	return reason;
}

/* Step 12. Returns 0 if the message was chosen to end as evicted: then its last packet must not be acknowledged. */
SPIN_INLINE _Bool spin_message_complete_(const struct spin_message *m, struct spin_packet *packet, struct spin_mpq *q)
{
	uint32_t verdict = spin_mpq_verdict(q), flags, rc;
	struct spin_completion completion = {
		.dropped_bytes = spin_read_once(&q->dropped_bytes),
		.flow_control_triggered = (spin_read_once(&q->flags) & SPIN_MPQ_FLOW_CONTROL) != 0,
		.length = q->length,
		.packet = packet,
	};

	if (spin_cmpxchg(&q->phase, SPIN_MPQ_OPEN, SPIN_MPQ_ENDING) != SPIN_MPQ_OPEN)
		return 0;
	if (spin_has_completion() && spin_likely(!(spin_read_once(&spin_me_at(q->me)->options) & SPIN_ME_NO_COMPLETION)) &&
	    (verdict == SPIN_REASON_SUCCESS || verdict == SPIN_REASON_HEADER_DROPPED || q->verdict & SPIN_MPQ_COMPLETES)) {
		rc = spin_call_completion(&completion);
		spin_report_run(m->mpq, m->hpu, SPIN_KIND_COMPLETION, 0);
		if ((rc & ~(uint32_t)SPIN_RC_PENDING) != SPIN_RC_SUCCESS)
			spin_message_error(m->mpq, m->hpu, rc, SPIN_KIND_COMPLETION);
		else if (rc)
			spin_fetch_or(&q->flags, SPIN_MPQ_PENDING);
	}
	flags = spin_read_once(&q->flags);
	if (!(flags & SPIN_MPQ_PENDING))
		spin_fetch_add(&spin_me_at(q->me)->messages, (uint64_t)1);
	else
		spin_me_release(q->me, q->offset, q->place_bytes);
	if (spin_config.unexpected)
		spin_unexpected_end(m->mpq, m->hpu, flags & SPIN_MPQ_PENDING ? 0 : SPIN_TELL_(SPIN_EVENT_MESSAGE, 0),
				    flags & SPIN_MPQ_TOOK_ME ? SPIN_EVENT_UNLINKED : 0);
	/* before the event: the host frees the entry when it reads the event */
	if (flags & SPIN_MPQ_TOOK_ME)
		spin_me_give(q->me, flags & SPIN_MPQ_PENDING ? SPIN_ME_OPEN : SPIN_ME_UNREAD);
	if (flags & SPIN_MPQ_PENDING) {
		spin_event_unreserve(); /* no event */
	} else if (!spin_message_event(m->mpq, m->hpu, SPIN_TELL_(SPIN_EVENT_MESSAGE, 0), q->offset,
				       flags & SPIN_MPQ_TOOK_ME ? SPIN_EVENT_UNLINKED : 0) &&
		   flags & SPIN_MPQ_TOOK_ME) {
		spin_me_give(q->me, SPIN_ME_FREE); /* the host will not read an event */
	}
	spin_write_once(&q->me, SPIN_MES_MAX); /* from now on the host may reuse the entry */
	spin_park_forget_all(q, m->hpu);
	spin_stats_at(m->hpu)->completed++;
	spin_tombstone_record(q, q->length);
	spin_mpq_free(m->mpq, spin_flows_are_messages_() ? SPIN_FLOW_NONE : SPIN_FLOW_TOMBSTONE, m->now);
	return 1;
}

/* Returns 1 if the packet contradicts what is known of its message. */
SPIN_INLINE _Bool spin_message_contradicts_(const struct spin_message *m, const struct spin_mpq *q, uint32_t packet)
{
	uint32_t last = m->slmp.flags & SPIN_SLMP_EOM, total = spin_read_once(&q->total);

	if (spin_unlikely(last ? m->slmp.bytes > q->stride : m->slmp.bytes != q->stride))
		return spin_unlikely_value(1);
	if (spin_unlikely(total))
		return packet >= total || (last && packet != total - 1);
	return spin_unlikely(last) && spin_window_beyond(m->mpq, m->generation, packet);
}

/*
 * For a claimed packet that disagrees about the message's end with one that arrived at the same time: the message can no longer complete.
 * Returns the reason for dropping the packet.
 */
SPIN_INLINE enum spin_reason spin_message_break_(struct spin_mpq *q)
{
	spin_fetch_add(&q->broken, 1);
	return SPIN_REASON_MALFORMED;
}

/*
 * Returns 1 for a first packet of another type than the one that the header handler ran for: both arrived at the same time on different
 * CPUs.
 */
SPIN_INLINE _Bool spin_message_is_of_another_type_(const struct spin_message *m, const struct spin_mpq *q)
{
	uint32_t flags = spin_read_once(&q->flags);
	uint32_t type = flags & SPIN_MPQ_GET ? SPIN_TYPE_GET : flags & SPIN_MPQ_ATOMIC ? SPIN_TYPE_ATOMIC : SPIN_TYPE_PUT;

	return !m->slmp.offset && m->slmp.type != type;
}

/* Steps 11 and 12, for a packet of an open message. `arrives` is 0 for a packet that was parked. */
SPIN_INLINE enum spin_reason spin_message_handle(struct spin_message *m, struct spin_packet *packet, _Bool arrives)
{
	struct spin_mpq *q = spin_mpq_at(m->mpq);
	uint32_t number = 0, last = m->slmp.flags & SPIN_SLMP_EOM, stride = q->stride, step = 1, done, total;
	enum spin_claim claim;
	enum spin_reason reason;
	uint64_t next;

	if (spin_flows_are_messages_()) {
		if (!m->opens) {
			reason = spin_number_claim(m->mpq, m->generation, m->slmp.bytes, m->slmp.flags, &next);
			if (spin_unlikely(reason != SPIN_PARSED)) {
				if (reason == SPIN_REASON_BEYOND_WINDOW)
					spin_flow_control(q, m, reason);
				return spin_verifier_forget32(reason) & 31; /* bounds it for the verifier of Linux 6.1 */
			}
			number = spin_number_of(next);
			m->slmp.offset = (uint32_t)next;
		}
	} else if (spin_likely(m->slmp.offset)) {
		next = spin_read_once(&q->next);
		/* a division takes as long as the rest of this function; packets in order avoid it */
		if (spin_likely((uint32_t)next == m->slmp.offset))
			number = next >> 32;
		else
			number = stride ? m->slmp.offset / stride : 0;
		if (spin_unlikely(number * stride != m->slmp.offset))
			return spin_unlikely_value(SPIN_REASON_MALFORMED);
	}
	if (!spin_flows_are_messages_() && spin_unlikely(spin_message_contradicts_(m, q, number)))
		return spin_unlikely_value(SPIN_REASON_MALFORMED);
	if (spin_unlikely(spin_read_once(&q->verdict) & SPIN_MPQ_NO_TRUNCATE) && spin_message_end(m) > q->place_bytes) {
		uint32_t flow = q->flow & (SPIN_FLOWS - 1);

		spin_refuse(m->mpq, m->generation, m->hpu, m->now);
		if (spin_flows_are_messages_() && last) /* this was the message's last packet */
			(void)spin_cmpxchg(&spin_flows[flow].state,
					   spin_flow_state(SPIN_FLOW_TOMBSTONE, m->mpq, m->generation + SPIN_EVICTION), SPIN_FLOW_NONE);
		return spin_unlikely_value(SPIN_REASON_BEYOND_ENTRY);
	}
	if (spin_handlers_.takes && spin_unlikely(spin_message_is_of_another_type_(m, q)))
		return spin_unlikely_value(SPIN_REASON_MALFORMED);
	claim = spin_window_claim(m->mpq, m->generation, number);
	if (spin_unlikely(claim != SPIN_CLAIMED)) {
		if (claim == SPIN_CAME_BEFORE)
			return spin_unlikely_value(SPIN_REASON_DUPLICATE);
		if (claim == SPIN_ENDED)
			return spin_unlikely_value(SPIN_REASON_NO_MPQ);
		return spin_flow_control(q, m, SPIN_REASON_BEYOND_WINDOW);
	}
	if (arrives)
		spin_message_touch(q, m->now);
	if (spin_unlikely((spin_read_once(&q->generation) & 0xffff) != m->generation)) {
		spin_window_unclaim(m->mpq, m->generation, number);
		return spin_unlikely_value(SPIN_REASON_NO_MPQ); /* the message has just ended: the sender retransmits */
	}
	if (spin_unlikely(last)) {
		step = SPIN_DONE_LAST;
		q->length = m->slmp.offset + m->slmp.bytes;
		total = spin_cmpxchg(&q->total, 0, number + 1);
		/* check again for packets that arrived in the meantime: both cannot be right, and the message cannot complete */
		if (!spin_flows_are_messages_() && ((total && total != number + 1) || spin_window_beyond(m->mpq, m->generation, number)))
			return spin_message_break_(q);
	} else if (!spin_flows_are_messages_()) {
		total = spin_read_once(&q->total);
		if (spin_unlikely(total) && number >= total)
			return spin_message_break_(q);
		spin_write_once(&q->next, (uint64_t)(number + 1) << 32 | (m->slmp.offset + stride));
	}
	reason = spin_message_run_(m, packet, q);
	done = spin_fetch_add(&q->done, step) + step;
	if (spin_unlikely(done & SPIN_DONE_LAST) && done == SPIN_DONE_LAST + spin_read_once(&q->total) - 1 &&
	    spin_unlikely(!spin_message_complete_(m, packet, q)))
		return spin_unlikely_value(SPIN_REASON_NO_MPQ);
	return reason;
}

/* Fills in the packet that handlers get: its payload is what follows the SLMP headers. */
SPIN_INLINE void spin_message_packet_of(const struct spin_view *view, const struct spin_datagram *d, void *ctx,
					const struct spin_message *m, struct spin_packet *packet)
{
	packet->view = *view;
	packet->ip = d->ip;
	packet->udp = d->udp;
	packet->payload = (uint8_t *)spin_barrier_pointer_(d->payload + (spin_barrier_var_(m->slmp.header_bytes) & 63));
	packet->is_ip4 = d->is_ip4;
	packet->is_icmp = packet->is_ether = packet->is_stream = packet->is_tcp = 0;
	packet->sum_change = 0;
	packet->stored = 0;
	packet->reply_bytes = packet->deliver_bytes = SPIN_NO_REPLY;
	packet->mpq = m->mpq;
	packet->hpu = m->hpu;
	packet->start = packet->payload;
	packet->start_bytes = m->slmp.bytes;
	packet->ip_at = d->ip_at;
	packet->ip_bytes = d->ip_header_bytes;
	packet->puts = 0;
	packet->ctx = ctx;
}

/* The result of a packet of a message. */
struct spin_message_out {
	enum spin_reason reason;
	_Bool acknowledge;
	uint32_t replay;     /* MPQ + 1 with parked packets to replay; 0: none */
	uint32_t generation; /* of that MPQ */
};

/* Returns 1 if the packet was accepted and need not be retransmitted. Without branches, because much code follows. */
SPIN_INLINE uint32_t spin_message_kept_(enum spin_reason reason)
{
	const uint32_t not_kept = 1u << SPIN_REASON_MALFORMED | 1u << SPIN_REASON_BEYOND_ENTRY | 1u << SPIN_REASON_NO_ME |
				  1u << SPIN_REASON_NO_MPQ | 1u << SPIN_REASON_NO_PARKING | 1u << SPIN_REASON_BEYOND_WINDOW;

	return ~spin_barrier_var_(not_kept) >> (reason & 31) & 1;
}

/*
 * Which part of a packet's processing a program does. spin_xdp handles packets of open messages only, so that these pay for nothing else;
 * all others continue in spin_begin. Where the verifier follows each iteration of a loop, handlers are in one program each: spin_begin
 * opens the message, and spin_opened handles its first packet.
 */
enum spin_part {
	SPIN_PART_WHOLE, /* all of it */
	SPIN_PART_OPEN,  /* packets of open messages */
	/* below: the previous program has verified the checksums */
	SPIN_PART_REST,   /* all of it */
	SPIN_PART_BEGIN,  /* until the message is open */
	SPIN_PART_OPENED, /* from then on */
};

/*
 * Steps 6 to 12, and whether step 13 is needed. The reason is SPIN_PARSED if another program must continue: for a packet whose message is
 * not open, of which nothing has been done, or, with SPIN_PART_BEGIN, for one whose message has been opened.
 */
SPIN_INLINE void spin_message_packet(const struct spin_frame *frame, const struct spin_view *view, const struct spin_datagram *d,
				     uint32_t sum, uint32_t hpu, enum spin_part part, struct spin_message_out *out)
{
	struct spin_message local, *m = &local;
	struct spin_packet packet;
	uint32_t state, place = 0;
	struct spin_mpq *q;

	if (view->access == SPIN_COPIED) /* saves stack for the handlers */
		m = (struct spin_message *)(uintptr_t)&view->scratch[1];
	out->replay = out->generation = 0;
	if (spin_puts_ && !spin_flows_are_messages_() && spin_unlikely(spin_slmp_is_ack(view, d))) {
		out->acknowledge = 0;
		out->reason = spin_unlikely_value(SPIN_REASON_ACKNOWLEDGED);
		return;
	}
	if (spin_unlikely(!spin_slmp_parse(view, d, spin_config.take_put, &m->slmp))) {
		out->acknowledge = 0;
		out->reason = spin_unlikely_value(SPIN_REASON_MALFORMED);
		return;
	}
	m->sum = sum;
	m->again = 0;
	m->opens = part == SPIN_PART_OPENED; /* without SLMP no other part opens messages */
	if (view->access == SPIN_COPIED)
		spin_compiler_barrier_(); /* forces a reload: one state for the verifier */
	else if (part != SPIN_PART_OPEN)
		spin_slmp_forget(&m->slmp);
	m->hpu = hpu;
	m->now = spin_now();
	m->dst_port = spin_ntoh16(d->udp->dst_port);
	spin_key_of(view, d, m->slmp.message_id, &m->key);
	state = spin_flow_find(&m->key, &place);
	if (part != SPIN_PART_OPEN) {
		state = spin_verifier_forget32(state);
		place = spin_verifier_forget32(place);
	}
	m->mpq = SPIN_FLOW_MPQ_(state);
	m->generation = state >> 16;
	spin_message_packet_of(view, d, spin_frame_ctx(frame), m, &packet);
	if (part == SPIN_PART_OPENED)
		packet.puts = spin_puts_made(); /* by the header handler */
	q = spin_mpq_at(m->mpq);
	out->reason = SPIN_PARSED;
	if (spin_unlikely((state & SPIN_FLOW_KIND_) != SPIN_FLOW_LIVE) || spin_unlikely(spin_load32(&q->phase) != SPIN_MPQ_OPEN)) {
		if (part == SPIN_PART_OPEN || part == SPIN_PART_OPENED) {
			out->acknowledge = 0;
			return;
		}
		out->reason = spin_message_begin(m, state, place, &packet, frame);
		if (out->reason != SPIN_PARSED)
			out->reason = spin_verifier_forget32(out->reason) &
				      31; /* one state for the verifier, whichever test refused the packet */
		m->mpq = spin_verifier_forget32(m->mpq);
		m->generation = spin_verifier_forget32(m->generation);
		m->opens = spin_verifier_forget32(m->opens);
		packet.mpq = m->mpq;
		q = spin_mpq_at(m->mpq);
	}
	if (out->reason == SPIN_PARSED && part == SPIN_PART_BEGIN) {
		out->acknowledge = 0;
		return;
	}
	if (out->reason == SPIN_PARSED)
		out->reason = spin_message_handle(m, &packet, 1);
	if (m->mpq < SPIN_MPQS_MAX && spin_unlikely(spin_read_once(&q->parked) | spin_read_once(&q->replay))) {
		uint32_t phase = spin_load32(&q->phase);

		uint32_t later = (spin_read_once(&q->generation) - m->generation) & 0xffff;
		uint32_t is_over = !(later & ~SPIN_EVICTION); /* the same message, possibly evicted */

		out->generation = m->generation;
		if (!later && phase == SPIN_MPQ_OPEN)
			out->replay = (m->mpq & (SPIN_MPQS_MAX - 1)) + 1;
		else if (is_over && (phase == SPIN_MPQ_ENDING || phase == SPIN_MPQ_FREE))
			spin_park_forget_all(q, hpu); /* the message ended while this packet was being parked */
	}
	if (part == SPIN_PART_OPEN) {
		out->acknowledge =
			!spin_flows_are_messages_() && ((m->slmp.flags & SPIN_SLMP_SYN && spin_likely(spin_message_kept_(out->reason))) ||
							spin_unlikely(out->reason == SPIN_REASON_BEYOND_ENTRY));
		return;
	}
	/* from here on all paths are one state for the verifier */
	out->reason = spin_verifier_forget32(out->reason) & 31;
	out->acknowledge = (!spin_flows_are_messages_()) &
			   ((m->slmp.flags / SPIN_SLMP_SYN & spin_message_kept_(out->reason)) |
			    spin_equal_(out->reason, SPIN_REASON_BEYOND_ENTRY) | (m->again & spin_equal_(out->reason, SPIN_REASON_NO_MPQ)));
}

/* Counts the result of replaying a parked packet. */
SPIN_INLINE void spin_message_count_replay(enum spin_reason reason, uint32_t hpu)
{
	if (!spin_message_kept_(reason))
		spin_stats_at(hpu)->replay_lost++;
	else if (reason != SPIN_REASON_DUPLICATE)
		spin_stats_at(hpu)->replayed++;
}

/* Step 13, for one packet that was parked for this MPQ. */
SPIN_INLINE enum spin_reason spin_message_replay(const struct spin_view *view, const struct spin_datagram *d, uint32_t mpq,
						 uint32_t generation, uint32_t hpu)
{
	struct spin_message m;
	struct spin_packet packet;
	struct spin_mpq *q = spin_mpq_at(mpq);

	if (spin_flows_are_messages_()) /* flows park nothing */
		return SPIN_REASON_MALFORMED;
	if ((spin_read_once(&q->generation) & 0xffff) != generation || spin_load32(&q->phase) != SPIN_MPQ_OPEN ||
	    !spin_slmp_parse(view, d, spin_config.take_put, &m.slmp))
		return SPIN_REASON_MALFORMED;
	m.hpu = hpu;
	m.now = spin_now();
	m.mpq = mpq;
	m.generation = generation;
	m.opens = 0;
	spin_message_packet_of(view, d, 0, &m, &packet);
	return spin_message_handle(&m, &packet, 0);
}

SPIN_INLINE _Bool spin_message_lives_(const struct spin_mpq *q, uint32_t generation)
{
	return (spin_read_once(&q->generation) & 0xffff) == generation && spin_load32(&q->phase) == SPIN_MPQ_OPEN;
}

/*
 * Puts back packets that were taken for replay but not handled, for the next arrival or sweep. If the message has ended in the meantime,
 * they are lost.
 */
SPIN_INLINE void spin_message_put_back(uint32_t mpq, uint32_t generation, uint32_t chain, uint32_t hpu)
{
	struct spin_mpq *q = spin_mpq_at(mpq);

	if (spin_message_lives_(q, generation) && !spin_cmpxchg(&q->replay, 0, chain)) {
		if (spin_message_lives_(q, generation))
			return;
		chain = spin_xchg(&q->replay, 0); /* the message has just ended */
	}
	spin_park_forget(chain, hpu);
}

#endif
