/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ACT_H
#define BPF_ACT_H

/*
 * Last steps for a packet that handlers have changed or answered: checksums, the Ethernet header, the reply. PsPIN's hardware does this
 * when a packet leaves. Called by packet.h and nfp.bpf.c for the received packet, after its handlers, and by put_frame.h for packets that
 * handlers send.
 */
#include <spin/slmp.h>

#include "bpf/checksum.h"

#define SPIN_REPLY_TTL 64

/*
 * Returns 1 if the UDP datagram or TCP segment has a local sender's partial checksum. `change` is what handlers have added to its sum since
 * it arrived. If the checksum was verified on arrival, it was right or partial, and the quotient that was kept tells which. The answer
 * itself is not kept: the verifier would follow all code after it once for each of its two values.
 */
SPIN_INLINE _Bool spin_arrived_partial_(const struct spin_view *view, const struct spin_datagram *d, uint64_t change)
{
	if (SPIN_KEEPS_QUOTIENT_ && spin_handlers_.checksum == SPIN_CHECKSUM_VERIFY)
		return !spin_divides_(d->quotient);
	if (d->is_tcp)
		return spin_tcp_sum_partial(view, d) && !spin_folds_to_ones_(spin_tcp_sum_arrived_(view, d, change));
	return spin_udp_sum_partial(view, d) && !spin_folds_to_ones_(spin_udp_sum_arrived_(view, d, change));
}

/*
 * Updates the UDP checksum of a packet for the host by what the handlers changed. It is updated by the difference (RFC 1624), so a checksum
 * that was wrong on arrival stays wrong. A datagram without a checksum stays without one. A local sender's partial checksum is kept: it
 * does not cover what handlers can change.
 */
SPIN_INLINE void spin_update_udp(const struct spin_view *view, const struct spin_datagram *d, uint64_t change, _Bool accept_partial)
{
	uint16_t checksum = d->udp->checksum;

	if (!checksum)
		return;
	if (accept_partial && spin_arrived_partial_(view, d, change))
		return;
	checksum = ~spin_fold((uint64_t)(uint16_t)~checksum + change);
	d->udp->checksum = checksum ? checksum : 0xffff;
}

/* The same for TCP, where 0 is a checksum like any other. */
SPIN_INLINE void spin_update_tcp(const struct spin_view *view, const struct spin_datagram *d, uint64_t change, _Bool accept_partial)
{
	struct spin_tcp *tcp = (struct spin_tcp *)d->udp;

	if (accept_partial && spin_arrived_partial_(view, d, change))
		return;
	tcp->checksum = ~spin_fold((uint64_t)(uint16_t)~tcp->checksum + change);
}

/*
 * The same for ICMP, whose checksum is part of the message, so `change` includes stores to the checksum itself. `came` is the checksum on
 * arrival. 0 and 0xffff are the same sum, except that a message of zeros needs 0xffff: a checksum that arrived as 0 stays 0 if the sum
 * still allows it.
 */
SPIN_INLINE void spin_update_icmp(const struct spin_view *view, const struct spin_datagram *d, uint64_t change, uint16_t came)
{
	struct spin_icmp *icmp = (struct spin_icmp *)d->udp;
	uint16_t checksum = spin_icmp_checksum((uint64_t)(uint16_t)~icmp->checksum + change);

	if (spin_unlikely(checksum == 0xffff && !came)) {
		icmp->checksum = 0;
		if (spin_icmp_sum(view, d, spin_verifier_forget32(d->payload_bytes)))
			return;
	}
	icmp->checksum = checksum;
}

SPIN_INLINE void spin_set_ip4_bytes_(struct spin_ip4 *ip, uint32_t total_bytes)
{
	spin_be16 length = spin_hton16(total_bytes);

	ip->checksum = ~spin_fold((uint64_t)(uint16_t)~ip->checksum + (uint16_t)~ip->total_length + length);
	ip->total_length = length;
}

/* The UDP checksum of a datagram as it arrived. */
enum spin_arrived_sum { SPIN_SUM_NONE, SPIN_SUM_PARTIAL, SPIN_SUM_RIGHT, SPIN_SUM_WRONG };

/* `change` is what handlers have added to the datagram's sum. It is not wrong if the runtime verifies checksums. */
SPIN_INLINE enum spin_arrived_sum spin_arrived_sum_(const struct spin_view *view, const struct spin_datagram *d, uint64_t change,
						    _Bool accept_partial)
{
	if (!d->udp->checksum)
		return SPIN_SUM_NONE;
	if (accept_partial && spin_arrived_partial_(view, d, change))
		return SPIN_SUM_PARTIAL;
	if (spin_handlers_.checksum == SPIN_CHECKSUM_VERIFY || spin_folds_to_ones_(spin_udp_sum_arrived_(view, d, change)))
		return SPIN_SUM_RIGHT;
	return SPIN_SUM_WRONG;
}

/*
 * Makes the UDP datagram one of payload_bytes bytes for the host: sets its lengths and checksums. A datagram without a checksum stays
 * without one, a local sender's partial one is that of the new length, and one that was wrong on arrival stays wrong.
 */
SPIN_INLINE void spin_set_length(const struct spin_view *view, const struct spin_datagram *d, uint32_t payload_bytes,
				 enum spin_arrived_sum arrived)
{
	const uint32_t udp_bytes = payload_bytes + sizeof(struct spin_udp);
	uint32_t checksum;

	if (d->is_ip4)
		spin_set_ip4_bytes_(d->ip, d->ip_header_bytes + udp_bytes);
	else if (spin_inside_(view, (struct spin_ip6 *)d->ip + 1))
		((struct spin_ip6 *)d->ip)->payload_length = spin_hton16(udp_bytes);
	d->udp->length = spin_hton16(udp_bytes);
	if (arrived == SPIN_SUM_NONE)
		return;
	if (arrived == SPIN_SUM_PARTIAL) {
		d->udp->checksum = spin_fold(spin_sum_pseudo(view, d, udp_bytes));
		return;
	}
	checksum = spin_udp_checksum(view, d, payload_bytes);
	if (spin_handlers_.checksum != SPIN_CHECKSUM_VERIFY && arrived == SPIN_SUM_WRONG)
		checksum = checksum == 0xffff ? 1 : checksum + 1; /* 0xffff and 0 are one number in such a sum */
	d->udp->checksum = (uint16_t)checksum;
}

SPIN_INLINE void spin_swap_eth(struct spin_eth *eth)
{
	uint16_t *dst = (uint16_t *)eth->dst, *src = (uint16_t *)eth->src;

	for (int i = 0; i < 3; i++) {
		uint16_t was = dst[i];

		dst[i] = src[i];
		src[i] = was;
	}
}

SPIN_INLINE void spin_reply_ip4_(struct spin_ip4 *ip, uint32_t total_bytes)
{
	uint16_t *ttl = (uint16_t *)&ip->ttl, was;
	spin_be16 length = spin_hton16(total_bytes);
	spin_be32 src = ip->src;
	uint64_t sum = (uint16_t)~ip->checksum;

	ip->src = ip->dst;
	ip->dst = src;
	sum += (uint64_t)(uint16_t)~ip->total_length + length;
	ip->total_length = length;
	was = *ttl;
	ip->ttl = SPIN_REPLY_TTL;
	sum += (uint64_t)(uint16_t)~was + *ttl;
	ip->checksum = ~spin_fold(sum);
}

SPIN_INLINE void spin_reply_ip6_(struct spin_ip6 *ip, uint32_t payload_bytes)
{
	for (int i = 0; i < 4; i++) {
		spin_be32 src = ip->src[i];

		ip->src[i] = ip->dst[i];
		ip->dst[i] = src;
	}
	ip->payload_length = spin_hton16(payload_bytes);
	ip->hop_limit = SPIN_REPLY_TTL;
}

/*
 * Turns the datagram into a reply to its sender, cut to payload_bytes, and computes its checksums. A request over IPv4 without a UDP
 * checksum gets a reply without one; IPv6 requires a checksum.
 */
SPIN_INLINE void spin_turn_around(const struct spin_view *view, const struct spin_datagram *d, uint32_t payload_bytes)
{
	uint32_t udp_bytes = payload_bytes + (d->is_icmp ? 0 : sizeof(struct spin_udp));
	spin_be16 port = d->is_ether ? 0 : d->udp->src_port;

	spin_swap_eth(d->eth);
	if (d->is_ether)
		return;
	if (d->is_ip4)
		spin_reply_ip4_(d->ip, d->ip_header_bytes + udp_bytes);
	else if (spin_inside_(view, (struct spin_ip6 *)d->ip + 1))
		spin_reply_ip6_(d->ip, udp_bytes);
	if (d->is_icmp) {
		struct spin_icmp *icmp = (struct spin_icmp *)d->udp;

		icmp->checksum = 0;
		/*
		 * hides the length: for a reply as long as the request the verifier would follow every iteration (ping, more than 1,000,000
		 * steps)
		 */
		icmp->checksum = spin_icmp_checksum(spin_icmp_sum(view, d, spin_verifier_forget32(payload_bytes)));
		return;
	}
	d->udp->src_port = d->udp->dst_port;
	d->udp->dst_port = port;
	d->udp->length = spin_hton16(udp_bytes);
	if (d->udp->checksum || (spin_handlers_.checksum == SPIN_CHECKSUM_HOST && !d->is_ip4))
		d->udp->checksum = spin_udp_checksum(view, d, payload_bytes);
}

/* Turns a message's packet into its acknowledgement: the SLMP header alone, with SPIN_SLMP_ACK and the flags `more`, to the sender. */
SPIN_INLINE void spin_acknowledge(const struct spin_view *view, const struct spin_datagram *d, uint32_t more)
{
	struct spin_slmp *slmp = (struct spin_slmp *)d->payload;

	slmp->flags = spin_hton16(SPIN_SLMP_ACK | more);
	spin_turn_around(view, d, sizeof(*slmp));
}

#endif
