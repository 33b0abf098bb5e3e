/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_BPF_PACKET_H
#define SPIN_BPF_PACKET_H

/*
 * The datapath of one execution context: parse, match, check, run handlers, act.
 * Portable C: the BPF program and the host build differ in what is around it.
 */
#include "act.h"
#include "match.h"
#include "run.h"

struct spin_way_out {
	enum spin_reason reason;
	uint32_t frame_bytes;  /* of a reply: what the frame is to be cut to */
	struct spin_outcome outcome;
	struct spin_datagram datagram; /* set unless parsing gave the reason */
};

/*
 * The same datagram seen anew, from the frame's start and offsets that the verifier
 * does not know: VLAN tags, IP version and options become one state, and what
 * follows is analysed once, not once for each of them. 0: the frame is too short, which
 * parsing has excluded.
 */
SPIN_INLINE _Bool spin_see_anew_(const struct spin_frame *frame, struct spin_datagram *d)
{
	uint32_t ip = spin_opaque_((uint8_t *)d->ip - (uint8_t *)d->eth);
	uint32_t udp = spin_opaque_((uint8_t *)d->udp - (uint8_t *)d->eth);
	uint8_t *data = spin_frame_data(frame), *end = spin_frame_end(frame), *at;

	at = (uint8_t *)spin_opaque_pointer_(data + (ip & 31)); /* 14, 18 or 22 */
	d->eth = (struct spin_eth *)data;
	d->ip = at;
	d->udp = (struct spin_udp *)spin_opaque_pointer_(data + (udp & 127)); /* at most 22 + 60 */
	d->payload = (uint8_t *)(d->udp + 1);
	if (!spin_within_(d->eth + 1, end) || !spin_within_(at + sizeof(struct spin_ip4), end) ||
	    !spin_within_(d->payload, end))
		return 0;
	d->is_ip4 = spin_equal_(*at >> 4, 4);
	d->ip_header_bytes = udp - ip;
	d->payload_bytes = spin_ntoh16(d->udp->length) - sizeof(struct spin_udp);
	return 1;
}

/* The frame is writable and changed in place, but for its length. */
SPIN_INLINE void spin_process(const struct spin_frame *frame, const volatile struct spin_config *config,
			      struct spin_way_out *out)
{
	uint8_t *end = spin_frame_end(frame);
	struct spin_datagram *d = &out->datagram;
	struct spin_packet packet;

	out->outcome.error = 0;
	out->frame_bytes = 0;
	out->reason = spin_parse(spin_frame_data(frame), end, d);
	if (out->reason != SPIN_PARSED)
		return;
	out->reason = SPIN_REASON_UNMATCHED;
	if (!spin_match(&config->rule, d))
		return;
	out->reason = SPIN_REASON_TRUNCATED;
	if (!spin_see_anew_(frame, d))
		return;
	end = spin_frame_end(frame);
	out->reason = SPIN_REASON_IP_CHECKSUM;
	if (d->is_ip4 && !spin_ip4_checksum_right(d->ip, end, d->ip_header_bytes))
		return;
	out->reason = SPIN_REASON_UDP_CHECKSUM;
	if (spin_handlers_.checksum == SPIN_CHECKSUM_VERIFY &&
	    !spin_udp_sum_good(d, end, config->accept_partial))
		return;

	packet.end = end;
	packet.ip = d->ip;
	packet.udp = d->udp;
	packet.payload = d->payload;
	packet.is_ip4 = d->is_ip4;
	packet.sum_change = 0;
	packet.stored = 0;
	packet.reply_bytes = SPIN_NO_REPLY;
	spin_run_handlers(&packet, d->payload_bytes, &out->outcome);
	out->reason = out->outcome.reason;

	if (out->reason != SPIN_REASON_REPLIED &&
	    !(packet.stored && (out->reason == SPIN_REASON_SUCCESS || out->reason == SPIN_REASON_PROCEEDED)))
		return;
	if (out->reason == SPIN_REASON_REPLIED) {
		spin_turn_around(d, end, packet.reply_bytes);
		out->frame_bytes = spin_opaque_(d->payload - (uint8_t *)d->eth) + packet.reply_bytes;
	} else {
		spin_deliver(d, end, packet.sum_change, config->accept_partial);
	}
}

#endif
