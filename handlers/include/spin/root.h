/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_ROOT_H
#define SPIN_ROOT_H

/*
 * What an interface's XDP program shares with user space: not for handlers. It
 * finds the context of each packet and hands the packet over. Its names, for
 * whoever loads it:
 *
 *	spin_root      the program, section "xdp"
 *	spin_contexts  the contexts' programs, by slot
 *	spin_match     struct spin_match in .bss, mapped
 *	spin_counters  struct spin_counters[SPIN_HPUS_MAX] in .bss, mapped: packets of no context
 *	spin_taps      rings of struct spin_tap_record, by slot
 *	spin_taps_every uint32_t[SPIN_CONTEXTS_MAX] in .bss, mapped: one packet in so many goes into the ring
 *	spin_taps_lost uint64_t[SPIN_CONTEXTS_MAX] in .bss, mapped: packets that found a ring full
 */
#include <spin/context.h>

/* Contexts with words in their rules that an interface can have at a time: their tests are done one after the other. */
#define SPIN_WORDED_MAX 8

struct spin_match_words {
	uint64_t bit;         /* of the context, 0: none */
	uint32_t count, need; /* tests, and how many of them must be satisfied: 1 or all */
	struct spin_rule_word word[SPIN_RULE_WORDS_MAX];
};

/*
 * Matching by bit vectors: bit i belongs to the context in slot i. Each field of a
 * packet picks one word, the contexts whose rule that field satisfies; their
 * conjunction is the packet's context, as rules do not overlap. So the cost does
 * not depend on how many there are. An address is looked up byte by byte, which
 * is exact for prefixes. Only words of the frame (struct spin_rule_word) are tested context by context, and only of contexts
 * that have some and are left over by then.
 *
 * Written by the owner of the interface while packets flow: all of a context's
 * bits are set before its bit in `active`, and stay until that is cleared and no
 * HPU can have seen it.
 */
struct spin_match {
	uint64_t active;
	uint64_t tapped;
	uint64_t ip4, ip6; /* contexts that take this version */
	/* contexts whose rule names no address: for others bytes are looked up; so a word read too early excludes */
	uint64_t unaddressed;
	uint64_t icmp;     /* contexts that take ICMP or ICMPv6: each has one bit in ip4, ip6, and none by any port */
	uint64_t ether;    /* contexts that take frames of the type that is in ether_type; none of the bits above but active, tapped */
	uint64_t wordless; /* contexts whose rule has no words; as unaddressed, of which they have no bit */
	uint64_t dst_port[65536]; /* by port in network byte order, as it lies in the packet */
	uint64_t src_port[65536];
	uint64_t src4[4][256], dst4[4][256];
	uint64_t src6[16][256], dst6[16][256];
	uint16_t ether_type[SPIN_CONTEXTS_MAX]; /* by slot, in network byte order; no two alike among active ones but for their words */
	struct spin_match_words words[SPIN_WORDED_MAX];
};

/* A packet as it arrived, in the ring of its context. */
struct spin_tap_record {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t hpu;
	uint32_t frame_bytes;
	uint8_t frame[]; /* frame_bytes of it, then what the record's size class leaves */
};

#endif
