/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_PACKET_H
#define BPF_PACKET_H

/*
 * The data path of a context (handlers, their memories and a match rule): parses a packet, matches it, checks it, runs the handlers and
 * acts on their result. Called by context.bpf.c and context.host.c for each packet. Portable C: context_maps.h and context_host.h provide
 * what differs between the BPF program and the host build.
 */
#include "bpf/actions/act.h"
#include "bpf/match.h"
#include "bpf/messages/message.h"
#include "bpf/reparse.h"
#include "bpf/segments/segment.h"
#include "bpf/actions/work.h"
#include "bpf/clock.h"

/* What became of a packet: results of spin_handle() for the caller, which decides about the frame. */
struct spin_packet_result {
	enum spin_reason reason;
	uint32_t frame_bytes;   /* replies, and resized packets: the length that the frame is cut to */
	uint32_t changed_bytes; /* bytes at the start of the frame's copy that may differ from the frame; 0: none */
	struct spin_handlers_result outcome;
	_Bool resized; /* it goes to the host with another length */
	/* messages only */
	_Bool consumed; /* the packet is consumed, or returned as an acknowledgement */
	_Bool acknowledged;
	uint32_t replay;     /* MPQ + 1 with parked packets to replay; 0: none */
	uint32_t generation; /* of that MPQ */
};

/*
 * Returns the sum of a message's first datagram as it arrived, by which tombstones recognise it; 0 for other packets. Called directly after
 * the checksums are verified, or first if another program has verified them: with code in between, the verifier would multiply that code's
 * paths by those of the sum.
 */
SPIN_INLINE uint32_t spin_first_sum_(const struct spin_view *view, const struct spin_datagram *d)
{
	const struct spin_slmp *slmp = (const void *)d->payload;
	uint32_t sum = 0;

	if (!spin_flows_are_messages_() && d->payload_bytes >= sizeof(*slmp) && spin_inside_(view, slmp + 1) && !spin_word_(&slmp->offset))
		sum = spin_fold(spin_sum_bytes(view, d->payload, d->payload_bytes));
	return spin_verifier_forget32(sum);
}

/* Handles a packet as a message's. *out says what becomes of it, and whether the frame has become an acknowledgement. */
SPIN_INLINE void spin_handle_message_(const struct spin_frame *frame, const struct spin_view *view, const struct spin_datagram *d,
				      uint32_t hpu, enum spin_part part, struct spin_packet_result *out)
{
	uint32_t sum = part == SPIN_PART_OPEN || part == SPIN_PART_OPENED ? 0 : spin_first_sum_(view, d);
	struct spin_message_out message;

	spin_message_packet(frame, view, d, sum, hpu, part, &message);
	out->reason = message.reason;
	if (message.reason == SPIN_PARSED)
		return;
	out->replay = message.replay;
	out->generation = message.generation;
	out->consumed = 1;
	out->acknowledged = message.acknowledge;
	if (!message.acknowledge)
		return;
	spin_acknowledge(view, d,
			 SPIN_SLMP_REFUSED * spin_equal_(message.reason, SPIN_REASON_BEYOND_ENTRY) |
				 SPIN_SLMP_AGAIN * spin_equal_(message.reason, SPIN_REASON_NO_MPQ));
	out->frame_bytes = out->changed_bytes = spin_barrier_var_(d->payload_at) + sizeof(struct spin_slmp);
}

/*
 * Parses and matches the frame. `takes` is a constant here. Returns SPIN_PARSED and sets *view and *d, or returns the reason why the packet
 * is not for this context.
 */
SPIN_INLINE enum spin_reason spin_find(const struct spin_frame *frame, const volatile struct spin_config *config, enum spin_takes takes,
				       struct spin_view *view, struct spin_datagram *d)
{
	enum spin_reason reason;

	*view = spin_frame_view(frame);
	if (view->access == SPIN_DIRECT && config->matched)
		reason = spin_parse_again(view, takes, d);
	else
		reason = spin_parse_view(view, takes, spin_hton16(config->rule.ether_type), d);
	if (reason != SPIN_PARSED)
		return reason;
	/* copied frames are matched again: without the test the verifier sees many more states */
	if ((view->access == SPIN_COPIED || !config->matched) && !spin_match(&config->rule, d))
		return SPIN_REASON_UNMATCHED;
	if (config->rule.words && (view->access == SPIN_COPIED || !config->matched) && !spin_match_frame(&config->rule, view, d))
		return SPIN_REASON_UNMATCHED;
	/*
	 * The dispatcher has matched these; the test is for packets that do not come from it. For copied packets of handlers that send, it
	 * takes too many verifier steps (act_put_d, isolated: more than 1,000,000), so these are matched only by the tests above.
	 */
	if ((view->access == SPIN_DIRECT || !spin_puts_) && config->rule.has_sets && !config->matched &&
	    !spin_match_sets_(&config->rule, d))
		return SPIN_REASON_UNMATCHED;
	d->is_last = spin_flows_are_messages_() ? spin_verifier_forget32(spin_match_frame_word_(&config->rule.eom, view, d)) : 0;
	*view = spin_frame_view(frame);
	d->is_icmp = takes == SPIN_TAKES_ICMP;
	d->is_ether = takes == SPIN_TAKES_ETHER;
	d->is_tcp = takes == SPIN_TAKES_TCP;
	return spin_reparse_(view, &config->rule, d) ? SPIN_PARSED : SPIN_REASON_TRUNCATED;
}

/*
 * Makes SPIN_REPLY's buffer the payload: sets the frame's length and stores the buffer after the headers. The resize invalidates the
 * pointers, so *view and *d are derived again. The reason becomes REPLIED, or SUCCESS if there is no room.
 */
SPIN_INLINE void spin_make_payload_(struct spin_frame *frame, struct spin_view *view, struct spin_datagram *d, uint32_t bytes, uint32_t hpu,
				    struct spin_packet_result *out)
{
	uint32_t ip, udp, at;
	_Bool fits;

	out->reason = SPIN_REASON_SUCCESS;
	spin_headers_at_(view, d, &ip, &udp);
	at = udp + sizeof(struct spin_udp);
	fits = spin_frame_resize(frame, at + bytes);
	*view = spin_frame_view(frame);
	if (!spin_reparse_at_(view, &spin_config.rule, ip, udp, d)) {
		out->reason = SPIN_REASON_TRUNCATED; /* unreachable: the headers were there before */
		return;
	}
	if (!fits)
		return;
	spin_frame_store(frame, at, spin_reply_at_(hpu), bytes, spin_reply_size_);
	out->reason = SPIN_REASON_REPLIED;
}

/* Delivers the datagram in the length of spin_deliver() or spin_deliver_from_buffer() (<spin/deliver.h>). */
SPIN_INLINE void spin_resize_(struct spin_frame *frame, struct spin_view *view, struct spin_datagram *d, const struct spin_packet *packet,
			      _Bool accept_partial, uint32_t hpu, struct spin_packet_result *out)
{
	const _Bool made = spin_reply_size_ && packet->deliver_bytes & SPIN_REPLY_MADE_;
	const uint32_t bytes =
		made ? packet->deliver_bytes & (SPIN_REPLY_MADE_ - 1) : spin_handlers_.user_header_bytes + packet->deliver_bytes;
	const enum spin_arrived_sum arrived = spin_arrived_sum_(view, d, packet->sum_change, accept_partial);

	if (made) {
		spin_make_payload_(frame, view, d, bytes, hpu, out);
		if (out->reason == SPIN_REASON_SUCCESS) { /* no room */
			spin_note_error_(&out->outcome, SPIN_EVENT_SEGV, SPIN_KIND_PAYLOAD);
			out->reason = SPIN_REASON_SEGV;
		}
		if (out->reason != SPIN_REASON_REPLIED)
			return;
		out->reason = SPIN_REASON_SUCCESS;
	}
	spin_set_length(view, d, bytes, arrived);
	out->resized = 1;
	out->frame_bytes = spin_barrier_var_(d->payload_at) + bytes;
	out->changed_bytes = made ? d->payload_at : out->frame_bytes;
}

/*
 * Handles what spin_find() found. The reason is SPIN_PARSED if another program must continue with its message (enum spin_part). The frame
 * must be writable and is changed in place, except for its length; with SPIN_REPLY its length, *view and *d may also change.
 */
SPIN_INLINE void spin_handle(struct spin_frame *frame, struct spin_view *view, struct spin_datagram *d, _Bool accept_partial, uint32_t hpu,
			     enum spin_part part, struct spin_packet_result *out)
{
	struct spin_packet packet;
	uint16_t icmp_checksum = 0;
	_Bool made;

	out->outcome.error = 0;
	out->frame_bytes = out->changed_bytes = out->replay = 0;
	out->consumed = out->acknowledged = out->resized = 0;
	out->reason = SPIN_REASON_IP_CHECKSUM;
	if (part < SPIN_PART_REST && d->is_ip4 && !spin_ip4_checksum_right(view, d->ip, d->ip_header_bytes))
		return;
	out->reason = SPIN_REASON_UDP_CHECKSUM;
	if (part < SPIN_PART_REST && spin_handlers_.checksum == SPIN_CHECKSUM_VERIFY && !d->is_ether &&
	    !spin_sum_good(view, d, accept_partial))
		return;
	if (spin_handlers_.delivery == SPIN_DELIVER_ME) {
		spin_handle_message_(frame, view, d, hpu, part, out);
		return;
	}

	packet.view = *view;
	packet.ip = d->ip;
	packet.udp = d->udp;
	packet.payload = d->payload;
	packet.is_ip4 = d->is_ip4;
	packet.is_icmp = d->is_icmp;
	packet.is_ether = d->is_ether;
	packet.is_tcp = d->is_tcp;
	packet.is_stream = 0;
	packet.mpq = SPIN_NO_CONNECTION;
	if (d->is_icmp)
		icmp_checksum = ((const struct spin_icmp *)d->udp)->checksum;
	packet.sum_change = 0;
	packet.stored = 0;
	packet.reply_bytes = packet.deliver_bytes = SPIN_NO_REPLY;
	packet.hpu = hpu;
	packet.start = d->payload;
	packet.start_bytes = d->payload_bytes;
	packet.ip_at = d->ip_at;
	packet.ip_bytes = d->ip_header_bytes;
	packet.puts = 0;
	packet.ctx = spin_frame_ctx(frame);
	if (spin_handlers_.delivery == SPIN_DELIVER_SEGMENTS)
		spin_run_segment(view, d, &packet, &out->outcome);
	else
		spin_run_handlers(&packet, d->payload_bytes, &out->outcome);
	out->reason = out->outcome.reason;

	if (out->reason == SPIN_REASON_SUCCESS && packet.deliver_bytes != SPIN_NO_REPLY) {
		spin_resize_(frame, view, d, &packet, accept_partial, hpu, out);
		return;
	}
	made = spin_reply_size_ && out->reason == SPIN_REASON_REPLIED && packet.reply_bytes & SPIN_REPLY_MADE_;
	if (made) {
		packet.reply_bytes &= SPIN_REPLY_MADE_ - 1;
		spin_make_payload_(frame, view, d, packet.reply_bytes, hpu, out);
	}
	if (out->reason == SPIN_REASON_REPLIED) {
		spin_turn_around(view, d, packet.reply_bytes);
		out->frame_bytes = spin_barrier_var_(d->payload_at) + packet.reply_bytes;
		out->changed_bytes = made ? d->payload_at : out->frame_bytes;
	} else if (packet.stored && (out->reason == SPIN_REASON_SUCCESS || out->reason == SPIN_REASON_PROCEEDED)) {
		if (d->is_icmp)
			spin_update_icmp(view, d, packet.sum_change, icmp_checksum);
		else if (d->is_tcp)
			spin_update_tcp(view, d, packet.sum_change, accept_partial);
		else if (!d->is_ether)
			spin_update_udp(view, d, packet.sum_change, accept_partial);
		out->changed_bytes = d->payload_at + d->payload_bytes;
	}
}

#endif
