/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_BPF_PARSE_H
#define SPIN_BPF_PARSE_H

/*
 * Steps 1 to 3 of <spin/reason.h>: from a frame to a UDP datagram, or the reason
 * why it is none. Portable C; every access is behind a check of the frame's end.
 */
#include <spin/reason.h>
#include <spin/wire.h>

#define SPIN_PARSED SPIN_REASON_COUNT /* no reason to stop */

struct spin_datagram {
	struct spin_eth *eth;
	void            *ip;
	struct spin_udp *udp;
	uint8_t         *payload;
	uint32_t         payload_bytes;
	uint32_t         ip_header_bytes;
	uint32_t         is_ip4;
};

SPIN_INLINE enum spin_reason spin_parse_udp_(uint8_t *udp, uint8_t *end, uint32_t ip_payload_bytes,
					     struct spin_datagram *out)
{
	out->udp = (struct spin_udp *)udp;
	if (spin_ntoh16(out->udp->length) != ip_payload_bytes)
		return SPIN_REASON_UDP_LENGTH;
	out->payload = udp + sizeof(struct spin_udp);
	out->payload_bytes = ip_payload_bytes - sizeof(struct spin_udp);
	return SPIN_PARSED;
}

SPIN_INLINE enum spin_reason spin_parse_ip4_(uint8_t *at, uint8_t *end, struct spin_datagram *out)
{
	struct spin_ip4 *ip = (struct spin_ip4 *)at;
	uint32_t header, total;

	if (at + sizeof(*ip) > end)
		return SPIN_REASON_TRUNCATED;
	header = (ip->version_ihl & 15u) * 4;
	if (ip->version_ihl >> 4 != 4 || header < sizeof(*ip))
		return SPIN_REASON_IP_MALFORMED;
	if (ip->protocol != SPIN_IP_UDP)
		return SPIN_REASON_NOT_UDP;
	if (ip->fragment & spin_hton16(SPIN_IP4_FRAGMENT_BITS))
		return SPIN_REASON_FRAGMENT;
	if (at + header + sizeof(struct spin_udp) > end)
		return SPIN_REASON_TRUNCATED;
	total = spin_ntoh16(ip->total_length);
	if (total < header + sizeof(struct spin_udp) || at + total > end)
		return SPIN_REASON_IP_LENGTH;
	out->ip = ip;
	out->ip_header_bytes = header;
	out->is_ip4 = 1;
	return spin_parse_udp_(at + header, end, total - header, out);
}

SPIN_INLINE enum spin_reason spin_ip6_next_(uint8_t next)
{
	switch (next) {
	case 44:
		return SPIN_REASON_FRAGMENT;
	case 0: case 43: case 50: case 51: case 60: case 135: case 139: case 140:
		return SPIN_REASON_IP6_EXTENSION;
	default:
		return SPIN_REASON_NOT_UDP;
	}
}

SPIN_INLINE enum spin_reason spin_parse_ip6_(uint8_t *at, uint8_t *end, struct spin_datagram *out)
{
	struct spin_ip6 *ip = (struct spin_ip6 *)at;
	uint32_t bytes;

	if (at + sizeof(*ip) > end)
		return SPIN_REASON_TRUNCATED;
	if (at[0] >> 4 != 6)
		return SPIN_REASON_IP_MALFORMED;
	if (ip->next_header != SPIN_IP_UDP)
		return spin_ip6_next_(ip->next_header);
	if (at + sizeof(*ip) + sizeof(struct spin_udp) > end)
		return SPIN_REASON_TRUNCATED;
	bytes = spin_ntoh16(ip->payload_length);
	if (bytes < sizeof(struct spin_udp) || at + sizeof(*ip) + bytes > end)
		return SPIN_REASON_IP_LENGTH;
	out->ip = ip;
	out->ip_header_bytes = sizeof(*ip);
	out->is_ip4 = 0;
	return spin_parse_udp_(at + sizeof(*ip), end, bytes, out);
}

SPIN_INLINE _Bool spin_is_vlan_(spin_be16 type)
{
	return type == spin_hton16(SPIN_ETH_VLAN) || type == spin_hton16(SPIN_ETH_QINQ);
}

/* Fills *out and returns SPIN_PARSED, or returns why the frame is passed untouched. */
SPIN_INLINE enum spin_reason spin_parse(uint8_t *data, uint8_t *end, struct spin_datagram *out)
{
	uint8_t *at = data + sizeof(struct spin_eth);
	spin_be16 type;

	if (at > end)
		return SPIN_REASON_TRUNCATED;
	out->eth = (struct spin_eth *)data;
	type = out->eth->type;
	if (spin_is_vlan_(type)) {
		struct spin_vlan *vlan = (struct spin_vlan *)at;

		at += sizeof(*vlan);
		if (at > end)
			return SPIN_REASON_TRUNCATED;
		type = vlan->type;
		if (spin_is_vlan_(type)) {
			vlan = (struct spin_vlan *)at;
			at += sizeof(*vlan);
			if (at > end)
				return SPIN_REASON_TRUNCATED;
			type = vlan->type;
			if (spin_is_vlan_(type))
				return SPIN_REASON_VLAN_DEPTH;
		}
	}
	if (type == spin_hton16(SPIN_ETH_IP4))
		return spin_parse_ip4_(at, end, out);
	if (type == spin_hton16(SPIN_ETH_IP6))
		return spin_parse_ip6_(at, end, out);
	return SPIN_REASON_NOT_IP;
}

#endif
