/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_WIRE_H
#define SPIN_WIRE_H

/*
 * Headers on the wire: Ethernet, VLAN, IP, UDP, TCP, ICMP. Multi-byte fields are in network byte order. Used by handlers, the runtime in
 * bpf/, the model and the tests.
 */
#include <spin/bytes.h>

#define SPIN_ETH_IP4           0x0800u
#define SPIN_ETH_IP6           0x86ddu
#define SPIN_ETH_VLAN          0x8100u
#define SPIN_ETH_QINQ          0x88a8u
#define SPIN_TAGGED_           0x10000u /* set with the 16 bits of a VLAN tag; 0: no tag */
#define SPIN_IP_TCP            6u
#define SPIN_IP_UDP            17u
#define SPIN_IP_ICMP           1u      /* over IPv4 */
#define SPIN_IP_ICMP6          58u     /* over IPv6 */
#define SPIN_IP4_FRAGMENT_BITS 0x3fffu /* more-fragments flag and fragment offset */

struct spin_eth {
	uint8_t dst[6];
	uint8_t src[6];
	spin_be16 type;
};

struct spin_vlan {
	spin_be16 tag;
	spin_be16 type; /* of what follows */
};

struct spin_ip4 {
	uint8_t version_ihl; /* version in bits 7:4, header words in bits 3:0 */
	uint8_t tos;
	spin_be16 total_length;
	spin_be16 id;
	spin_be16 fragment;
	uint8_t ttl;
	uint8_t protocol;
	spin_be16 checksum;
	spin_be32 src;
	spin_be32 dst;
};

struct spin_ip6 {
	spin_be32 version_class_flow; /* version in the first byte's bits 7:4 */
	spin_be16 payload_length;
	uint8_t next_header;
	uint8_t hop_limit;
	spin_be32 src[4];
	spin_be32 dst[4];
};

struct spin_udp {
	spin_be16 src_port;
	spin_be16 dst_port;
	spin_be16 length;   /* header and payload */
	spin_be16 checksum; /* 0 on IPv4: no checksum */
};

/* Bits of struct spin_tcp's flags. */
#define SPIN_TCP_FIN 0x01u
#define SPIN_TCP_SYN 0x02u
#define SPIN_TCP_RST 0x04u
#define SPIN_TCP_PSH 0x08u
#define SPIN_TCP_ACK 0x10u
#define SPIN_TCP_URG 0x20u

struct spin_tcp {
	spin_be16 src_port;
	spin_be16 dst_port;
	spin_be32 seq;
	spin_be32 ack;
	uint8_t words; /* of the header, in bits 7:4; at least 5 */
	uint8_t flags;
	spin_be16 window;
	spin_be16 checksum; /* of header and payload, with a pseudo-header */
	spin_be16 urgent;
};

/* Common start of ICMP and ICMPv6; a shorter message is invalid (RFC 792, RFC 4443). */
struct spin_icmp {
	uint8_t type;
	uint8_t code;
	spin_be16 checksum; /* of the message; ICMPv6: with a pseudo-header */
	spin_be16 id;       /* of an echo; other types use it differently */
	spin_be16 sequence;
};

_Static_assert(sizeof(struct spin_eth) == 14 && sizeof(struct spin_vlan) == 4 && sizeof(struct spin_ip4) == 20 &&
		       sizeof(struct spin_ip6) == 40 && sizeof(struct spin_udp) == 8 && sizeof(struct spin_icmp) == 8 &&
		       sizeof(struct spin_tcp) == 20,
	       "wire formats have no padding");

#endif
