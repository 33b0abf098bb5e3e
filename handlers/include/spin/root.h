/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_ROOT_H
#define SPIN_ROOT_H

/*
 * Interface between the dispatcher (bpf/root.bpf.c) and libspin, which loads it. Not for handlers. The dispatcher is the XDP program of an
 * interface: it finds the execution context of each packet, the handlers whose rule matches, and tail-calls that context's program. Each
 * context has a slot, an index from 0 to SPIN_CONTEXTS_MAX - 1. Programs, maps and variables, by name:
 *
 *	spin_root      the program, section "xdp"
 *	spin_contexts  program array: the contexts' programs, by slot
 *	spin_match     struct spin_match in .bss, mapped
 *	spin_counters  struct spin_counters[SPIN_HPUS_MAX] in .bss, mapped: packets that match no context
 *	spin_taps      rings of struct spin_tap_record, by slot
 *	spin_taps_every uint32_t[SPIN_CONTEXTS_MAX] in .bss, mapped: one packet in so many goes into the ring
 *	spin_taps_lost uint64_t[SPIN_CONTEXTS_MAX] in .bss, mapped: packets that found a ring full
 */
#include <spin/context.h>

/* Most contexts of an interface that may have u32 tests (struct spin_rule_word) in their rules, because these are tested one by one. */
#define SPIN_WORD_RULES_MAX 8

/* The u32 tests of one context's rule. */
struct spin_match_words {
	uint64_t bit;         /* the context's bit; 0: unused */
	uint32_t count, need; /* number of tests, and how many must be satisfied: 1 or all */
	struct spin_rule_word word[SPIN_RULE_WORDS_MAX];
};

/*
 * Matching by bit vectors: bit i belongs to the context in slot i. Each header field of a packet selects a bit vector: the contexts
 * whose rules that field satisfies. The AND of these vectors has at most one bit set, the packet's context, since rules do not
 * overlap. So the cost does not depend on the number of contexts. An address is looked up byte by byte, which is exact for prefixes.
 * Only u32 tests (struct spin_rule_word) are done context by context, for contexts that have some and matched all other fields.
 *
 * libspin writes it while packets flow: all of a context's bits are set before its bit in `active`, and are kept until that is cleared and
 * no HPU can still have seen it.
 */
struct spin_match {
	uint64_t active;
	uint64_t tapped;
	/* contexts whose replies may be longer than their requests: room is made after their frames (bpf/room.h) */
	uint64_t tailroom;
	uint64_t ip4, ip6; /* contexts that take this version */
	/* contexts whose rules name no address: their addresses are not looked up. A bit read before it is set only excludes the context */
	uint64_t no_address_tests;
	uint64_t icmp;          /* contexts that take ICMP or ICMPv6: they have a bit in ip4 or ip6, and none in dst_port and src_port */
	uint64_t ether;         /* contexts that take frames of the type in ether_type; of the vectors above only active and tapped apply */
	uint64_t tcp_active;    /* as `active`, for contexts of TCP: these have no bit there, so UDP's packets are not tested for them */
	uint64_t no_word_tests; /* contexts whose rules have no u32 tests; a context with some has no bit in no_address_tests either */
	/* contexts whose rules name no VLAN, DSCP or TTL; one that names some has no bit in no_address_tests either */
	uint64_t no_field_tests;
	uint64_t drops_short;      /* 1: it is on an interface, see spin_length_differs_() of bpf/root.bpf.c; 0: packets are only tried */
	uint64_t src_not, dst_not; /* contexts that take the addresses which are not in the vectors below */
	uint64_t vlan[8192];       /* up to SPIN_RULE_UNTAGGED; the size is a power of two so that a mask bounds the index */
	uint64_t dscp[64], ttl[256];
	uint64_t dst_port[65536]; /* of UDP and TCP, by port in network byte order, as it lies in the packet */
	uint64_t src_port[65536];
	uint64_t src4[4][256], dst4[4][256];
	uint64_t src6[16][256], dst6[16][256];
	uint16_t ether_type[SPIN_CONTEXTS_MAX]; /* by slot, network byte order; equal ones differ in their u32 tests */
	struct spin_match_words words[SPIN_WORD_RULES_MAX];
};

/* A packet as it arrived, in the ring of its context. */
struct spin_tap_record {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t hpu;
	uint32_t frame_bytes;
	uint8_t frame[]; /* frame_bytes bytes, then padding to the record's size class */
};

#endif
