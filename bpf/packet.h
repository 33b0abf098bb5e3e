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

/* [data, end) is the frame, writable; changed in place. */
SPIN_INLINE void spin_process(uint8_t *data, uint8_t *end, const volatile struct spin_config *config,
			      struct spin_way_out *out)
{
	struct spin_datagram *d = &out->datagram;
	enum spin_udp_sum sum = SPIN_UDP_SUM_UNKNOWN;
	struct spin_packet packet;

	out->outcome.error = 0;
	out->reason = spin_parse(data, end, d);
	if (out->reason != SPIN_PARSED)
		return;
	out->reason = SPIN_REASON_UNMATCHED;
	if (!spin_match(&config->rule, d))
		return;
	out->reason = SPIN_REASON_IP_CHECKSUM;
	if (d->is_ip4 && !spin_ip4_checksum_right(d->ip, end, d->ip_header_bytes))
		return;
	if (spin_handlers_.checksum == SPIN_CHECKSUM_VERIFY) {
		sum = spin_udp_sum_check(d, end, 0, config->accept_partial);
		out->reason = SPIN_REASON_UDP_CHECKSUM;
		if (sum == SPIN_UDP_SUM_WRONG)
			return;
	}

	packet.end = end;
	packet.ip = d->ip;
	packet.udp = d->udp;
	packet.payload = d->payload;
	packet.is_ip4 = d->is_ip4;
	packet.sum_change = 0;
	packet.stored = 0;
	packet.reply_bytes = 0;
	spin_run_handlers(&packet, d->payload_bytes, &out->outcome);
	out->reason = out->outcome.reason;

	if (out->reason == SPIN_REASON_REPLIED) {
		spin_turn_around(d, end, packet.reply_bytes);
		out->frame_bytes = d->payload - data + packet.reply_bytes;
	} else if (packet.stored &&
		   (out->reason == SPIN_REASON_SUCCESS || out->reason == SPIN_REASON_PROCEEDED)) {
		spin_deliver(d, end, packet.sum_change, sum, config->accept_partial);
	}
}

#endif
