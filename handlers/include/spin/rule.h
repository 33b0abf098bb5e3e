/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_RULE_H
#define SPIN_RULE_H

/*
 * Match rules: which packets belong to an execution context. Written by libspin from text (spin_rule__parse()) and read by the
 * dispatcher, the context's program and the model.
 */
#include <stdint.h>

/*
 * A test of a 32-bit word of the frame, like those of FPsPIN's matching engine. Words are counted from the destination Ethernet address,
 * without VLAN tags, and are numbers in network byte order. (word & mask) must be from `first` to `last`. A frame that ends before the end
 * of the word does not satisfy the test.
 */
#define SPIN_RULE_WORDS_MAX 4u
#define SPIN_RULE_INDEX_MAX 15u /* within 64 bytes, as in FPsPIN */

struct spin_rule_word {
	uint32_t index, mask, first, last; /* host byte order */
};

/*
 * Accepted values of a header field: ranges in ascending order, with a gap between each two, zeros after the last one. No ranges: any
 * value. Text with `not` is stored as the remaining ranges.
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
 * Which packets belong to an execution context (PsPIN 3.1: the inbound engine matches packets to contexts). All fields must match. Zero
 * matches anything, except for the protocol: a context takes UDP datagrams, ICMP, or ICMPv6, or frames of one EtherType; or TCP, if
 * its handlers take segments (SPIN_DELIVER_SEGMENTS), and then nothing else. Messages (SPIN_DELIVER_ME) and packets that handlers send
 * (SPIN_PUTS) require UDP. The same struct configures the BPF program and the model's
 * inbound engine.
 */
struct spin_rule {
	uint32_t src_addr[4]; /* network byte order; an IPv4 address is in word 0 */
	uint32_t src_mask[4]; /* network byte order; a packet matches if (addr & mask) == src_addr, unless src_not */
	uint32_t dst_addr[4];
	uint32_t dst_mask[4];
	uint16_t src_port;  /* host byte order; 0: any. UDP and TCP only, else 0 */
	uint16_t dst_port;  /* host byte order; 0: any. UDP and TCP only, else 0 */
	uint8_t ip_version; /* 4, 6, or 0: both (then address masks must be zero); ICMP: 4 or 0, ICMPv6: 6 or 0 */
	uint8_t protocol;   /* SPIN_IP_UDP (17), SPIN_IP_TCP (6), SPIN_IP_ICMP (1), SPIN_IP_ICMP6 (58) of <spin/wire.h>; 0: UDP */
	/* Host byte order, 0x600 to 0xffff, not IP or a VLAN tag: frames of this type, with all fields above 0. 0: IP packets. */
	uint16_t ether_type;
	uint8_t words;    /* number of word tests, at most SPIN_RULE_WORDS_MAX; all must be satisfied */
	uint8_t any_word; /* 0; or 1: one suffices */
	uint8_t has_eom;  /* 0; or 1: messages without SLMP, whose last packet satisfies `eom` (<spin/message.h>, "Flows") */
	uint8_t has_sets; /* 1: a set below is not empty; always computed by rule__complete() of libspin */
	uint8_t src_not;  /* 0; or 1: packets match whose source does not match address and mask; the mask must not be 0 */
	uint8_t dst_not;  /* the same for the destination */
	uint16_t unused;  /* 0 */
	struct spin_rule_word word[SPIN_RULE_WORDS_MAX]; /* zeros after the last one */
	struct spin_rule_word eom;                       /* zeros without has_eom; does not affect which packets match */
	struct spin_rule_set src_ports, dst_ports;       /* for more than one port, UDP and TCP only; then src_port or dst_port is 0 */
	struct spin_rule_set vlan;                       /* VLAN of the outer tag, 0 to 4095, or SPIN_RULE_UNTAGGED */
	struct spin_rule_set dscp, ttl;                  /* 0 to 63; 0 to 255, or IPv6's hop limit. These three not with ether_type */
};

_Static_assert(sizeof(struct spin_rule) == 340, "spin_rule is shared by BPF, host and model");

#endif
