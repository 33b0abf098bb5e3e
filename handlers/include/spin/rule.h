/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_RULE_H
#define SPIN_RULE_H

/*
 * Match rules: which packets belong to an execution context. Written by libspin from text (spin_rule__parse()) and read by the
 * dispatcher, the context's program and the model.
 */
#include <stdint.h>

/*
 * A test of a 32-bit word of the frame, as FPsPIN's matching engine has it: words are counted from the destination's Ethernet
 * address on, VLAN tags left out, and are numbers in network byte order. (word & mask) is to be from `first` to `last`. A frame
 * that ends before the word's end does not satisfy it.
 */
#define SPIN_RULE_WORDS_MAX 4u
#define SPIN_RULE_INDEX_MAX 15u /* of 64 bytes, as FPsPIN's */

struct spin_rule_word {
	uint32_t index, mask, first, last; /* host byte order */
};

/*
 * Numbers of a header field: ranges in ascending order, with a gap between each two, zeros behind the last one. No ranges: any number.
 * Text with `not` is stored as the ranges that remain.
 */
#define SPIN_RULE_RANGES_MAX 8u

struct spin_rule_range {
	uint16_t first, last; /* host byte order, both included */
};

struct spin_rule_set {
	uint32_t count;
	struct spin_rule_range range[SPIN_RULE_RANGES_MAX];
};

#define SPIN_RULE_UNTAGGED 4096u /* in `vlan`: frames without a VLAN tag */

/*
 * Which packets belong to an execution context (PsPIN 3.1: the inbound engine
 * matches packets to contexts). All fields must match; zero matches anything, but for the
 * protocol, which is one: a context takes UDP datagrams, or ICMP, or ICMPv6; or frames of one EtherType.
 * Messages (SPIN_DELIVER_ME) and packets that handlers send (SPIN_PUTS) are of UDP.
 * The same struct configures the BPF program and the model's inbound engine.
 */
struct spin_rule {
	uint32_t src_addr[4]; /* network byte order; an IPv4 address stands in word 0 */
	uint32_t src_mask[4]; /* network byte order; a packet matches if (addr & mask) == src_addr, unless src_not */
	uint32_t dst_addr[4];
	uint32_t dst_mask[4];
	uint16_t src_port;  /* host byte order; 0: any. UDP only, else 0 */
	uint16_t dst_port;  /* host byte order; 0: any. UDP only, else 0 */
	uint8_t ip_version; /* 4, 6, or 0: both (then address masks must be zero); of ICMP 4 or 0, of ICMPv6 6 or 0 */
	uint8_t protocol;   /* SPIN_IP_UDP (17), SPIN_IP_ICMP (1), SPIN_IP_ICMP6 (58) of <spin/wire.h>; 0: UDP */
	/*
	 * Host byte order, 0x600 to 0xffff, neither IP's nor a VLAN tag's: frames of this type, and all above is 0.
	 * 0: IP packets.
	 */
	uint16_t ether_type;
	uint8_t words;    /* tests in addition to all above, at most SPIN_RULE_WORDS_MAX: each must be satisfied, */
	uint8_t any_word; /* 0; or 1: one must be */
	uint8_t has_eom;  /* 0; or 1: messages without SLMP, and `eom` tells the last packet (<spin/message.h>, "Flows") */
	uint8_t has_sets; /* 1: one of the sets below is not empty; rule__complete() of libspin says so, whatever is given */
	uint8_t src_not;  /* 0; or 1: packets match whose source the address and its mask, which is not 0, do not fit */
	uint8_t dst_not;  /* the same of the destination */
	uint16_t unused;  /* 0 */
	struct spin_rule_word word[SPIN_RULE_WORDS_MAX]; /* zeros behind the last one */
	struct spin_rule_word eom;                       /* zeros without has_eom; the packets of a rule are the same with it and without */
	struct spin_rule_set src_ports, dst_ports;       /* more than one port, UDP only; then src_port or dst_port is 0 */
	struct spin_rule_set vlan;                       /* of the outer tag in the frame, 0 to 4095, or SPIN_RULE_UNTAGGED */
	struct spin_rule_set dscp, ttl;                  /* 0 to 63; 0 to 255, IPv6's hop limit. None of these three with ether_type */
};

_Static_assert(sizeof(struct spin_rule) == 340, "spin_rule is shared by BPF, host and model");

#endif
