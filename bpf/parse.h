/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_PARSE_H
#define BPF_PARSE_H

/*
 * Parses a frame (steps 1 to 3 of <spin/reason.h>): to a UDP datagram, an ICMP message, a TCP segment or the payload of an EtherType, or to
 * the reason why it is none of them. Portable C; every access follows a check of the frame's end. The includer includes <spin/spin.h>
 * first, which selects the target. Called by the dispatcher, the guard and the programs of contexts.
 */
#include <spin/reason.h>
#include <spin/target/view.h>

#define SPIN_PARSED  SPIN_REASON_COUNT       /* continue: no reason to pass or drop the frame */
#define SPIN_IS_ICMP (SPIN_REASON_COUNT + 1) /* ICMP or ICMPv6: parse it again as SPIN_TAKES_ICMP */

/* What a context takes, according to its rule or its registration; a constant in each program. */
enum spin_takes { SPIN_TAKES_UDP, SPIN_TAKES_ICMP, SPIN_TAKES_ETHER, SPIN_TAKES_TCP };

/* A parsed packet: pointers to its headers and payload, and what kind of packet it is. */
struct spin_datagram {
	struct spin_eth *eth;
	void *ip;
	struct spin_udp *udp; /* ICMP: the message, of which 8 bytes are in bounds; TCP: its header, of which 20 are */
	uint8_t *payload;     /* ICMP: the message */
	uint32_t payload_bytes;
	uint32_t ip_header_bytes;
	uint32_t is_ip4;
	_Bool is_icmp;     /* or ICMPv6 */
	_Bool is_tcp;      /* ports are where UDP has them */
	uint32_t is_last;  /* messages without SLMP: 1 if the rule marks it as the last packet */
	_Bool is_ether;    /* ip, udp and payload then point to what follows the EtherType */
	spin_be16 type;    /* EtherType, if it is neither IPv4 nor IPv6 */
	uint64_t quotient; /* spin_quotient_() of the sum of a verified datagram or segment, as it arrived */
	/* offsets in the frame; in a linear frame the pointers have the same information */
	uint32_t ip_at, udp_at, payload_at;
};

/* Returns 1 if the frame has `bytes` bytes of headers at `at`, which is at offset `off`. */
SPIN_INLINE _Bool spin_has_(const struct spin_view *view, const uint8_t *at, uint32_t off, uint32_t bytes)
{
	return view->access == SPIN_COPIED ? off + bytes <= view->bytes : at + bytes <= view->end;
}

/* The same for an IP packet, part of which may be in another buffer. */
SPIN_INLINE _Bool spin_holds_(const struct spin_view *view, const uint8_t *at, uint32_t off, uint32_t bytes)
{
	return view->access == SPIN_DIRECT ? at + bytes <= view->end : off + bytes <= view->bytes;
}

/*
 * Returns `at`, which is at offset `off` <= `mask`. In a copied frame the verifier must know only the mask, so the pointer is derived
 * again.
 */
SPIN_INLINE uint8_t *spin_place_(const struct spin_view *view, uint8_t *at, uint32_t off, uint32_t mask)
{
	if (view->access != SPIN_COPIED)
		return at;
	return (uint8_t *)spin_barrier_pointer_(view->data + (spin_verifier_forget_(view, off) & mask));
}

SPIN_INLINE enum spin_reason spin_parse_udp_(uint8_t *udp, uint32_t ip_payload_bytes, struct spin_datagram *out)
{
	out->udp = (struct spin_udp *)udp;
	if (spin_ntoh16(out->udp->length) != ip_payload_bytes)
		return SPIN_REASON_UDP_LENGTH;
	out->payload = udp + sizeof(struct spin_udp);
	out->payload_bytes = ip_payload_bytes - sizeof(struct spin_udp);
	return SPIN_PARSED;
}

/* Returns the length of TCP's header, 0 to 60, as the header says. */
SPIN_INLINE uint32_t spin_tcp_header_bytes_(const struct spin_udp *tcp)
{
	return (((const struct spin_tcp *)tcp)->words >> 2) & 60u;
}

/* Called for the header, or again when it has been found to be right. The payload's pointer is derived later, by spin_reparse_(). */
SPIN_INLINE enum spin_reason spin_parse_tcp_(uint8_t *tcp, uint32_t ip_payload_bytes, struct spin_datagram *out)
{
	uint32_t header;

	out->udp = (struct spin_udp *)tcp;
	header = spin_tcp_header_bytes_(out->udp);
	return header < sizeof(struct spin_tcp) || header > ip_payload_bytes ? SPIN_REASON_UDP_LENGTH : SPIN_PARSED;
}

/* Bytes after IP's header that must be in the frame before they are looked at. */
SPIN_INLINE uint32_t spin_least_behind_ip_(enum spin_takes as)
{
	return as == SPIN_TAKES_TCP ? sizeof(struct spin_tcp) : sizeof(struct spin_udp);
}

/* Parses the IP packet's payload, UDP, ICMP or TCP as requested. */
SPIN_INLINE enum spin_reason spin_parse_behind_ip_(uint8_t *at, uint32_t bytes, enum spin_takes as, struct spin_datagram *out)
{
	out->is_icmp = as == SPIN_TAKES_ICMP;
	out->is_ether = 0;
	if (as == SPIN_TAKES_UDP)
		return spin_parse_udp_(at, bytes, out);
	if (as == SPIN_TAKES_TCP)
		return spin_parse_tcp_(at, bytes, out);
	out->udp = (struct spin_udp *)at;
	out->payload = at;
	out->payload_bytes = bytes;
	return SPIN_PARSED;
}

/*
 * Parses from the IPv4 header at `at` on, whose offset in the frame is `off`. Returns SPIN_PARSED, or the reason why handlers cannot take
 * it.
 */
SPIN_INLINE enum spin_reason spin_parse_ip4_(const struct spin_view *view, uint8_t *at, uint32_t off, enum spin_takes as,
					     struct spin_datagram *out)
{
	const uint8_t protocol = as == SPIN_TAKES_ICMP ? SPIN_IP_ICMP : as == SPIN_TAKES_TCP ? SPIN_IP_TCP : SPIN_IP_UDP;
	const uint32_t least = spin_least_behind_ip_(as);
	struct spin_ip4 *ip = (struct spin_ip4 *)at;
	uint32_t header, total;

	if (!spin_has_(view, at, off, sizeof(*ip)))
		return SPIN_REASON_TRUNCATED;
	header = (ip->version_ihl & 15u) * 4;
	if (ip->version_ihl >> 4 != 4 || header < sizeof(*ip))
		return SPIN_REASON_IP_MALFORMED;
	if (ip->protocol != protocol)
		return as == SPIN_TAKES_UDP && ip->protocol == SPIN_IP_ICMP ? SPIN_IS_ICMP : SPIN_REASON_NOT_UDP;
	if (ip->fragment & spin_hton16(SPIN_IP4_FRAGMENT_BITS))
		return SPIN_REASON_FRAGMENT;
	if (!spin_has_(view, at + header, off + header, least))
		return SPIN_REASON_TRUNCATED;
	total = spin_length16(ip->total_length);
	if (total < header + least || !spin_holds_(view, at, off, total))
		return SPIN_REASON_IP_LENGTH;
	if (total > spin_longest_packet_(view))
		return SPIN_REASON_TOO_LONG;
	out->ip = ip;
	out->ip_at = off;
	out->udp_at = off + header;
	out->ip_header_bytes = header;
	out->is_ip4 = 1;
	return spin_parse_behind_ip_(spin_place_(view, at + header, off + header, 127), total - header, as, out);
}

/* Returns why a packet with this next header is not taken. */
SPIN_INLINE enum spin_reason spin_ip6_next_(uint8_t next)
{
	switch (next) {
	case 44:
		return SPIN_REASON_FRAGMENT;
	case 0:
	case 43:
	case 50:
	case 51:
	case 60:
	case 135:
	case 139:
	case 140:
		return SPIN_REASON_IP6_EXTENSION;
	default:
		return SPIN_REASON_NOT_UDP;
	}
}

/* Like spin_parse_ip4_(), for an IPv6 header. */
SPIN_INLINE enum spin_reason spin_parse_ip6_(const struct spin_view *view, uint8_t *at, uint32_t off, enum spin_takes as,
					     struct spin_datagram *out)
{
	const uint8_t protocol = as == SPIN_TAKES_ICMP ? SPIN_IP_ICMP6 : as == SPIN_TAKES_TCP ? SPIN_IP_TCP : SPIN_IP_UDP;
	const uint32_t least = spin_least_behind_ip_(as);
	struct spin_ip6 *ip = (struct spin_ip6 *)at;
	uint32_t bytes;

	if (!spin_has_(view, at, off, sizeof(*ip)))
		return SPIN_REASON_TRUNCATED;
	if (at[0] >> 4 != 6)
		return SPIN_REASON_IP_MALFORMED;
	if (ip->next_header != protocol)
		return as == SPIN_TAKES_UDP && ip->next_header == SPIN_IP_ICMP6 ? SPIN_IS_ICMP : spin_ip6_next_(ip->next_header);
	if (!spin_has_(view, at + sizeof(*ip), off + sizeof(*ip), least))
		return SPIN_REASON_TRUNCATED;
	bytes = spin_length16(ip->payload_length);
	if (bytes < least || !spin_holds_(view, at + sizeof(*ip), off + sizeof(*ip), bytes))
		return SPIN_REASON_IP_LENGTH;
	if (sizeof(*ip) + bytes > spin_longest_packet_(view))
		return SPIN_REASON_TOO_LONG;
	out->ip = ip;
	out->ip_at = off;
	out->udp_at = off + sizeof(*ip);
	out->ip_header_bytes = sizeof(*ip);
	out->is_ip4 = 0;
	return spin_parse_behind_ip_(spin_place_(view, at + sizeof(*ip), off + sizeof(*ip), 127), bytes, as, out);
}

SPIN_INLINE _Bool spin_is_vlan_(spin_be16 type)
{
	return type == spin_hton16(SPIN_ETH_VLAN) || type == spin_hton16(SPIN_ETH_QINQ);
}

/* Returns the VLAN id of a parsed IP packet's outer tag; 4096 (SPIN_RULE_UNTAGGED) if there is none. */
SPIN_INLINE uint32_t spin_frame_vlan_(const struct spin_datagram *d)
{
	const struct spin_vlan *vlan = (const struct spin_vlan *)(d->eth + 1);

	return spin_is_vlan_(d->eth->type) ? spin_ntoh16(vlan->tag) & 0xfffu : 0x1000u;
}

SPIN_INLINE uint32_t spin_frame_dscp_(const struct spin_datagram *d)
{
	const uint8_t *ip = d->ip;

	return d->is_ip4 ? ip[1] >> 2 : ((uint32_t)ip[0] << 2 | ip[1] >> 6) & 63;
}

SPIN_INLINE uint32_t spin_frame_ttl_(const struct spin_datagram *d)
{
	uint32_t ttl = ((const struct spin_ip4 *)d->ip)->ttl, hop_limit = ((const struct spin_ip6 *)d->ip)->hop_limit;

	/* loads both: otherwise clang makes one load at a variable offset, which the verifier rejects without CAP_PERFMON */
	__asm__ volatile("" : "+r"(ttl), "+r"(hop_limit));
	return d->is_ip4 ? ttl : hop_limit;
}

/*
 * Fills *out and returns SPIN_PARSED, or returns the reason why the frame is passed untouched. `as`: UDP, ICMP or TCP. For UDP the result
 * SPIN_IS_ICMP means that it must be called again for ICMP.
 */
SPIN_INLINE enum spin_reason spin_parse_as(const struct spin_view *view, enum spin_takes as, struct spin_datagram *out)
{
	uint8_t *at = view->data + sizeof(struct spin_eth);
	uint32_t off = sizeof(struct spin_eth);
	spin_be16 type;

	if (!spin_has_(view, at, off, 0))
		return SPIN_REASON_TRUNCATED;
	out->eth = (struct spin_eth *)view->data;
	type = out->eth->type;
	if (spin_is_vlan_(type)) {
		struct spin_vlan *vlan = (struct spin_vlan *)at;

		if (!spin_has_(view, at, off, sizeof(*vlan)))
			return SPIN_REASON_TRUNCATED;
		at += sizeof(*vlan);
		off += sizeof(*vlan);
		type = vlan->type;
		if (spin_is_vlan_(type)) {
			vlan = (struct spin_vlan *)at;
			if (!spin_has_(view, at, off, sizeof(*vlan)))
				return SPIN_REASON_TRUNCATED;
			at += sizeof(*vlan);
			off += sizeof(*vlan);
			type = vlan->type;
			if (spin_is_vlan_(type))
				return SPIN_REASON_VLAN_DEPTH;
		}
	}
	at = spin_place_(view, at, off, 31);
	if (type == spin_hton16(SPIN_ETH_IP4))
		return spin_parse_ip4_(view, at, off, as, out);
	if (type == spin_hton16(SPIN_ETH_IP6))
		return spin_parse_ip6_(view, at, off, as, out);
	out->type = type;
	out->ip = out->udp = (void *)at;
	out->ip_at = off;
	return SPIN_REASON_NOT_IP;
}

/* Parses a frame that is not IP, after spin_parse_as(): the payload is all that follows the EtherType. */
SPIN_INLINE enum spin_reason spin_parse_ether_(const struct spin_view *view, struct spin_datagram *out)
{
	uint32_t bytes = view->access == SPIN_COPIED ? view->bytes - out->ip_at : (uint32_t)(view->end - (uint8_t *)out->ip);

	out->is_ether = 1;
	out->is_icmp = 0;
	out->is_ip4 = 0;
	if (!bytes)
		return SPIN_REASON_TRUNCATED;
	out->udp_at = out->ip_at;
	return bytes > spin_longest_packet_(view) ? SPIN_REASON_TOO_LONG : SPIN_PARSED;
}

/*
 * Parses for a context that takes one kind of packet; other kinds are UNMATCHED or have their own reason. `type` is for SPIN_TAKES_ETHER.
 */
SPIN_INLINE enum spin_reason spin_parse_view(const struct spin_view *view, enum spin_takes takes, spin_be16 type, struct spin_datagram *out)
{
	enum spin_reason reason = spin_parse_as(view, takes == SPIN_TAKES_TCP ? SPIN_TAKES_TCP : SPIN_TAKES_UDP, out);

	if (takes == SPIN_TAKES_TCP && reason == SPIN_REASON_NOT_UDP) { /* it may be UDP, which has reasons of its own */
		reason = spin_parse_as(view, SPIN_TAKES_UDP, out);
		return reason == SPIN_PARSED ? SPIN_REASON_UNMATCHED : reason == SPIN_IS_ICMP ? SPIN_REASON_NOT_UDP : reason;
	}
	if (takes == SPIN_TAKES_TCP)
		return reason;
	if (takes == SPIN_TAKES_ETHER && reason == SPIN_REASON_NOT_IP)
		return out->type == type ? spin_parse_ether_(view, out) : reason;
	if (reason == SPIN_IS_ICMP)
		return takes == SPIN_TAKES_ICMP ? spin_parse_as(view, SPIN_TAKES_ICMP, out) : SPIN_REASON_NOT_UDP;
	return reason == SPIN_PARSED && takes != SPIN_TAKES_UDP ? SPIN_REASON_UNMATCHED : reason;
}

/* Returns the length of the ICMP message or TCP segment, from the IP header. */
SPIN_INLINE uint32_t spin_behind_ip_(const void *ip, _Bool is_ip4, uint32_t header)
{
	if (is_ip4)
		return (spin_length16(((const struct spin_ip4 *)ip)->total_length) - header) & 0xffff;
	return spin_length16(((const struct spin_ip6 *)ip)->payload_length);
}

/*
 * Parses a frame again that another program has already parsed: finds the headers and checks that the frame is linear up to the payload's
 * end. SPIN_DIRECT only.
 */
SPIN_INLINE enum spin_reason spin_parse_again(const struct spin_view *view, enum spin_takes takes, struct spin_datagram *out)
{
	const _Bool by_ip = takes == SPIN_TAKES_ICMP || takes == SPIN_TAKES_TCP; /* IP's header tells the length */
	const uint32_t least = takes == SPIN_TAKES_ETHER ? 1 : sizeof(struct spin_ip4);
	uint8_t *at = view->data + sizeof(struct spin_eth);
	uint32_t header, bytes;

	out->eth = (struct spin_eth *)view->data;
	if (at + least > view->end)
		return SPIN_REASON_TRUNCATED;
	if (spin_is_vlan_(out->eth->type)) {
		struct spin_vlan *vlan = (struct spin_vlan *)at;

		if (takes == SPIN_TAKES_ETHER && at + sizeof(*vlan) > view->end)
			return SPIN_REASON_TRUNCATED;
		at += sizeof(*vlan) << spin_is_vlan_(vlan->type);
		if (at + least > view->end)
			return SPIN_REASON_TRUNCATED;
	}
	out->ip = at;
	if (takes == SPIN_TAKES_ETHER) {
		out->udp = (struct spin_udp *)at;
		out->ip_at = (uint32_t)(at - view->data);
		return spin_parse_ether_(view, out);
	}
	out->is_ether = 0;
	out->is_ip4 = *at >> 4 == 4;
	header = out->is_ip4 ? (*at & 15u) * 4 : sizeof(struct spin_ip6);
	out->ip_header_bytes = header;
	out->udp = (struct spin_udp *)(at + header);
	if (at + header + spin_least_behind_ip_(takes) > view->end)
		return SPIN_REASON_TRUNCATED;
	out->is_icmp = takes == SPIN_TAKES_ICMP;
	bytes = by_ip ? spin_behind_ip_(at, out->is_ip4, header) : spin_length16(out->udp->length);
	if (at + header + bytes > view->end)
		return SPIN_REASON_IP_LENGTH;
	if (takes == SPIN_TAKES_TCP && spin_parse_tcp_(at + header, bytes, out) != SPIN_PARSED)
		return SPIN_REASON_UDP_LENGTH;
	return header + bytes > spin_longest_packet_(view) ? SPIN_REASON_TOO_LONG : SPIN_PARSED;
}

/* Returns 1 for the reasons that parsing the linear part gives for a multi-buffer or too long frame. */
SPIN_INLINE _Bool spin_maybe_long(enum spin_reason reason)
{
	return reason == SPIN_REASON_TRUNCATED || reason == SPIN_REASON_IP_LENGTH || reason == SPIN_REASON_TOO_LONG;
}

/* Parses such a frame of frame_bytes bytes, whose headers are between data and end. Only the headers may be read, to match it. */
SPIN_INLINE enum spin_reason spin_parse_long(uint8_t *data, uint8_t *end, uint32_t frame_bytes, enum spin_takes as,
					     struct spin_datagram *out)
{
	const struct spin_view view = { .access = SPIN_HEADERS, .data = data, .end = end, .bytes = frame_bytes };

	return spin_parse_as(&view, as, out);
}

#endif
