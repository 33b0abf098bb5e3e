/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The dispatcher, the XDP program that libspin attaches to an interface: parses a packet, finds its execution context (handlers, their
 * memories and a match rule) and tail-calls that context's program (bpf/README.md). Packets without a context go to the host, untouched and
 * counted.
 *
 * The names below are a contract with <spin/root.h>.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <spin/spin.h>
#include <spin/root.h>

#include "bpf/atomic.h"
#include "bpf/parse.h"

char spin_license[] SEC("license") = "Dual BSD/GPL";

/* The process that shares the interface through libxdp (kernel/share/share.h); 0: not shared. No program reads it. */
const volatile uint64_t spin_maker SEC(".rodata.maker") = 0;

struct spin_match spin_match;
struct spin_counters spin_counters[SPIN_HPUS_MAX];

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, SPIN_CONTEXTS_MAX);
	__uint(key_size, 4);
	__uint(value_size, 4);
} spin_contexts SEC(".maps");

#include "bpf/handover.h"
#include "bpf/room.h"
#include "bpf/tap.h"

/* Each byte of the address selects the contexts (bits) whose rule allows it there; all bytes must agree. */
SPIN_INLINE uint64_t spin_match_bytes_(const struct spin_view *view, const uint8_t *addr, const uint64_t (*words)[256], int bytes)
{
	uint64_t match = ~0ull;

	for (int i = 0; i < bytes; i++) {
		match &= words[i][addr[i]];
		if (view->access == SPIN_COPIED)
			spin_verifier_merge_(match);
	}
	return match;
}

/* Returns the contexts (bits) whose rules take the packet's addresses. */
SPIN_INLINE uint64_t spin_match_addresses_(const struct spin_view *view, const struct spin_datagram *d)
{
	const struct spin_ip4 *ip4 = d->ip;
	const struct spin_ip6 *ip6 = d->ip;

	if (d->is_ip4)
		return (spin_match_bytes_(view, (const uint8_t *)&ip4->src, spin_match.src4, 4) ^ spin_match.src_not) &
		       (spin_match_bytes_(view, (const uint8_t *)&ip4->dst, spin_match.dst4, 4) ^ spin_match.dst_not);
	return (spin_match_bytes_(view, (const uint8_t *)ip6->src, spin_match.src6, 16) ^ spin_match.src_not) &
	       (spin_match_bytes_(view, (const uint8_t *)ip6->dst, spin_match.dst6, 16) ^ spin_match.dst_not);
}

#define SPIN_WORDS_TAGGED (SPIN_RULE_INDEX_MAX + 1 + 2) /* with two VLAN tags of one word each */

/* The frame's words, per CPU, in an array that the tests below index. */
struct spin_words {
	spin_be32 word[32]; /* SPIN_WORDS_TAGGED are used; a power of two, so that a mask bounds the index */
	uint32_t count, tags;
	volatile uint32_t place; /* scratch word that hides values from the verifier, for spin_root_copy (<spin/target/view.h>) */
	uint32_t unused[29];
};
struct spin_words spin_words[SPIN_HPUS_MAX];

/*
 * Loads the words that the frame has. By a helper call and with the count in memory: with a test for each word the verifier would follow
 * each possible count.
 */
SPIN_INLINE void spin_words_load_(struct xdp_md *ctx, struct spin_words *to)
{
	const uint32_t bytes = bpf_xdp_get_buff_len(ctx);
	uint32_t held = bytes < SPIN_WORDS_TAGGED * 4 ? bytes : SPIN_WORDS_TAGGED * 4;

	to->count = to->tags = 0;
	if (!held || bpf_xdp_load_bytes(ctx, 0, to->word, spin_masked_length(held, sizeof(to->word))))
		return;
	to->count = held / 4;
	/* words beyond this frame's end are left over from an earlier frame */
	if (held >= 16 && spin_is_vlan_((spin_be16)to->word[3]))
		to->tags = held >= 20 && spin_is_vlan_((spin_be16)to->word[4]) ? 2 : 1;
}

/* Returns a value used as an index, of which the verifier knows only the mask. */
SPIN_INLINE uint32_t spin_words_forget_(struct spin_words *words, uint32_t number, uint32_t mask)
{
	words->place = number;
	return words->place & mask;
}

/* Returns the position of a word by a rule's index: VLAN tags follow the first three words. */
SPIN_INLINE uint32_t spin_words_place_(struct spin_words *words, uint32_t index)
{
	return spin_words_forget_(words, index + (words->tags & -(spin_below_(index, 3) ^ 1)), 31);
}

/* Returns those of `contexts` (one bit each) whose word tests the packet passes, or that have none. */
SPIN_INLINE uint64_t spin_match_words_as_(struct xdp_md *ctx, uint64_t contexts, enum spin_access access)
{
	struct spin_words *at = &spin_words[bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1)];
	uint64_t match = spin_match.no_word_tests;

	if (access == SPIN_COPIED)
		spin_verifier_bounds_(at);
	if (!(contexts & ~match))
		return contexts;
	spin_words_load_(ctx, at);
	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_WORD_RULES_MAX; i++) {
		const struct spin_match_words *tests = &spin_match.words[spin_words_forget_(at, i, SPIN_WORD_RULES_MAX - 1)];
		uint32_t hits = 0;

		SPIN_UNROLL_
		for (uint32_t k = 0; k < SPIN_RULE_WORDS_MAX; k++) {
			const struct spin_rule_word *word = &tests->word[k];
			const uint32_t place = spin_words_place_(at, word->index);
			const uint32_t value = spin_ntoh32(at->word[place]) & word->mask;

			hits += spin_below_(k, tests->count) & spin_below_(place, at->count) & (spin_below_(value, word->first) ^ 1) &
				(spin_below_(word->last, value) ^ 1);
			if (access == SPIN_COPIED)
				spin_verifier_merge_(hits);
		}
		match |= tests->bit & spin_barrier_var64_(spin_below_(hits, tests->need) - 1ull);
		if (access == SPIN_COPIED)
			spin_verifier_merge_(match);
	}
	return match & contexts;
}

/*
 * Clears the bits of contexts whose word tests the frame does not satisfy. Global functions without loops: without CAP_PERFMON the verifier
 * follows each exit of a loop, and before Linux 6.17 does not terminate.
 */
SPIN_NOINLINE uint64_t spin_match_words_direct_(struct xdp_md *ctx, uint64_t contexts)
{
	return spin_match_words_as_(ctx, contexts, SPIN_DIRECT);
}

SPIN_NOINLINE uint64_t spin_match_words_copied_(struct xdp_md *ctx, uint64_t contexts)
{
	return spin_match_words_as_(ctx, contexts, SPIN_COPIED);
}

SPIN_INLINE uint64_t spin_match_words_(struct xdp_md *ctx, const struct spin_view *view, uint64_t contexts)
{
	return view->access == SPIN_COPIED ? spin_match_words_copied_(ctx, contexts) : spin_match_words_direct_(ctx, contexts);
}

/*
 * Returns the contexts that take the packet's VLAN, DSCP and TTL. Each index must be hidden from the verifier: without CAP_PERFMON it
 * reports "R5 tried to add from different maps, paths" if the index is a constant on one path.
 */
SPIN_INLINE uint64_t spin_match_ip_fields_(const struct spin_datagram *d)
{
	struct spin_words *at = &spin_words[bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1)];

	return spin_match.vlan[spin_words_forget_(at, spin_frame_vlan_(d), 0x1fff)] &
	       spin_match.dscp[spin_words_forget_(at, spin_frame_dscp_(d), 63)] &
	       spin_match.ttl[spin_words_forget_(at, spin_frame_ttl_(d), 0xff)];
}

/* The tests that few rules need: returns the contexts of `match` whose fields, addresses and words match the packet. */
SPIN_INLINE uint64_t spin_match_rest_(struct xdp_md *ctx, const struct spin_view *view, const struct spin_datagram *d, uint64_t match)
{
	if (match & ~spin_match.no_field_tests)
		match &= spin_match_ip_fields_(d);
	return spin_match_words_(ctx, view, match & spin_match_addresses_(view, d));
}

/* Returns the bit of the packet's context among those of `active`; 0: none. */
SPIN_INLINE uint64_t spin_match_ports_(struct xdp_md *ctx, const struct spin_view *view, const struct spin_datagram *d, uint64_t active)
{
	uint64_t match = spin_match.dst_port[d->udp->dst_port] & active;

	if (!match)
		return 0;
	match &= spin_match.src_port[d->udp->src_port] & (d->is_ip4 ? spin_match.ip4 : spin_match.ip6);
	if (spin_unlikely(match & ~spin_match.no_address_tests))
		match = spin_match_rest_(ctx, view, d, match);
	return match;
}

SPIN_INLINE uint64_t spin_match_(struct xdp_md *ctx, const struct spin_view *view, const struct spin_datagram *d)
{
	return spin_match_ports_(ctx, view, d, spin_match.active);
}

/* Parses a packet again, as a TCP segment. Returns its context's slot; -1 - reason if it belongs to none. */
SPIN_INLINE int spin_slot_of_tcp_(struct xdp_md *ctx, const struct spin_view *view)
{
	struct spin_datagram d;
	enum spin_reason reason;
	uint64_t match;

	d.is_ip4 = 0; /* as in spin_root() */
	reason = spin_parse_as(view, SPIN_TAKES_TCP, &d);
	if (view->access == SPIN_DIRECT && spin_maybe_long(reason))
		reason = spin_parse_long(view->data, view->end, bpf_xdp_get_buff_len(ctx), SPIN_TAKES_TCP, &d);
	if (reason != SPIN_PARSED)
		return -1 - (int)reason;
	match = spin_match_ports_(ctx, view, &d, spin_match.tcp_active);
	return match ? (int)spin_bit_number(match) : -1 - (int)SPIN_REASON_UNMATCHED;
}

/* The same in place. A global function, so that the verifier does not follow it for each kind of packet that is not UDP. */
SPIN_NOINLINE int spin_slot_of_tcp_direct_(struct xdp_md *ctx)
{
	const struct spin_view view = { .access = SPIN_DIRECT, .data = (uint8_t *)(long)ctx->data, .end = (uint8_t *)(long)ctx->data_end };

	return spin_slot_of_tcp_(ctx, &view);
}

/* The same as spin_match_() for an ICMP message. */
SPIN_INLINE uint64_t spin_match_icmp_(struct xdp_md *ctx, const struct spin_view *view, const struct spin_datagram *d)
{
	uint64_t match = spin_match.icmp & spin_match.active & (d->is_ip4 ? spin_match.ip4 : spin_match.ip6);

	if (spin_unlikely(match & ~spin_match.no_address_tests))
		match = spin_match_rest_(ctx, view, d, match);
	return match;
}

/* The same for a frame that is not IP, by its EtherType. Such contexts are few, so they are searched one by one. */
SPIN_INLINE uint64_t spin_match_type_(spin_be16 type)
{
	uint64_t match = 0;

	SPIN_UNROLL_ /* without CAP_PERFMON the verifier follows the code after a loop once per iteration */
		for (uint32_t i = 0; i < SPIN_CONTEXTS_MAX; i++) match |= (uint64_t)spin_equal_(spin_match.ether_type[i], type) << i;
	return match & spin_match.ether & spin_match.active;
}

/* Tail-calls the program of the context whose bit is set, if any. If the context is tapped, the packet is copied first. */
SPIN_INLINE void spin_give_(struct xdp_md *ctx, uint64_t match)
{
	if (!match)
		return;
	if (match & spin_match.tapped)
		spin_tap(ctx, match);
	spin_tail_call_context(ctx, match);
}

/* Parses an ICMP packet again, so that UDP packets pay no cost for ICMP. Returns the reason if it belongs to no context. */
SPIN_INLINE enum spin_reason spin_give_icmp_(struct xdp_md *ctx, const struct spin_view *view)
{
	struct spin_datagram d;
	enum spin_reason reason;

	d.is_ip4 = 0; /* as in spin_root() */
	if (!(spin_match.icmp & spin_match.active))
		return SPIN_REASON_NOT_UDP;
	reason = spin_parse_as(view, SPIN_TAKES_ICMP, &d);
	if (view->access == SPIN_DIRECT && spin_maybe_long(reason))
		reason = spin_parse_long(view->data, view->end, bpf_xdp_get_buff_len(ctx), SPIN_TAKES_ICMP, &d);
	if (reason != SPIN_PARSED)
		return reason;
	spin_give_(ctx, spin_match_icmp_(ctx, view, &d));
	return SPIN_REASON_UNMATCHED;
}

/* The same for a TCP segment. */
SPIN_INLINE enum spin_reason spin_give_tcp_(struct xdp_md *ctx, const struct spin_view *view)
{
	const int slot = view->access == SPIN_COPIED ? spin_slot_of_tcp_(ctx, view) : spin_slot_of_tcp_direct_(ctx);

	if (slot < 0)
		return (enum spin_reason)((-1 - slot) & 31);
	spin_give_(ctx, 1ull << (slot & 63));
	return SPIN_REASON_UNMATCHED;
}

/*
 * Returns the reason for a frame that matched a context's EtherType but not its other tests. A wrong length takes precedence, as in the
 * context's program.
 */
SPIN_INLINE enum spin_reason spin_ether_reason_(struct xdp_md *ctx)
{
	const struct spin_words *words = &spin_words[bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1)];
	const uint32_t bytes = bpf_xdp_get_buff_len(ctx) - sizeof(struct spin_eth) - words->tags * sizeof(struct spin_vlan);

	return !bytes ? SPIN_REASON_TRUNCATED : bytes > SPIN_IP_BYTES_MAX ? SPIN_REASON_TOO_LONG : SPIN_REASON_UNMATCHED;
}

/* The same for a frame that is not IP. */
SPIN_INLINE enum spin_reason spin_give_ether_(struct xdp_md *ctx, const struct spin_view *view, spin_be16 type)
{
	uint64_t match = spin_match_type_(type);

	if (!match)
		return SPIN_REASON_NOT_IP;
	spin_give_(ctx, spin_match_words_(ctx, view, match));
	return spin_ether_reason_(ctx);
}

/*
 * For a datagram whose length disagrees with IP's. If it is shorter, Linux cuts off the rest and delivers it: it must not get past the
 * handlers, so a context's is dropped on an interface, also if it is not linear. Elsewhere it passes, as in the other executions of
 * handlers, after which no host reads it; and in spin_root_copy, which cannot read the packet. A global function, because few packets need
 * it.
 */
SPIN_NOINLINE int spin_length_differs_(struct xdp_md *ctx)
{
	const struct spin_view view = { .access = SPIN_DIRECT, .data = (uint8_t *)(long)ctx->data, .end = (uint8_t *)(long)ctx->data_end };
	struct spin_datagram d = {};

	spin_counters[bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1)].packets[SPIN_REASON_UDP_LENGTH]++;
	if (!spin_match.drops_short || spin_parse_again(&view, SPIN_TAKES_UDP, &d) == SPIN_REASON_TRUNCATED)
		return XDP_PASS;
	return spin_match_(ctx, &view, &d) ? XDP_DROP : XDP_PASS;
}

/* Tail-calls the context's program, or counts a packet that has no context. */
SPIN_INLINE int spin_dispatch_(struct xdp_md *ctx, const struct spin_view *view, const struct spin_datagram *d, enum spin_reason reason)
{
	uint32_t i;

	if (spin_likely(reason == SPIN_PARSED)) {
		const uint64_t match = spin_match_(ctx, view, d);

		reason = SPIN_REASON_UNMATCHED;
		if (spin_unlikely(match & spin_match.tailroom))
			spin_make_room(ctx);
		spin_give_(ctx, match);
	} else if (reason == SPIN_IS_ICMP) {
		reason = spin_give_icmp_(ctx, view);
	} else if (reason == SPIN_REASON_NOT_UDP && spin_match.tcp_active) {
		reason = spin_give_tcp_(ctx, view);
	} else if (reason == SPIN_REASON_NOT_IP && spin_match.ether) {
		reason = spin_give_ether_(ctx, view, d->type);
	}
	_Static_assert(SPIN_REASON_COUNT <= 32, "the mask below, which is not a test: see spin_count_()");
	i = view->access == SPIN_COPIED ? (uint32_t)spin_verifier_forget_(view, reason) & 31 : reason;
	spin_counters[bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1)].packets[i]++;
	return XDP_PASS;
}

/* The dispatcher: finds the context of a UDP datagram and tail-calls its program. Other packets are looked at on slower paths. */
SEC("xdp")
int spin_root(struct xdp_md *ctx)
{
	const struct spin_view view = { .access = SPIN_DIRECT, .data = (uint8_t *)(long)ctx->data, .end = (uint8_t *)(long)ctx->data_end };
	struct spin_datagram d;
	enum spin_reason reason;

	/* clang keeps it on the stack, and Linux 6.1 rejects a load of a stack word that is uninitialised on some path, even if unused */
	d.is_ip4 = 0;
	reason = spin_parse_as(&view, SPIN_TAKES_UDP, &d);
	if (spin_maybe_long(reason))
		reason = spin_parse_long(view.data, view.end, bpf_xdp_get_buff_len(ctx), SPIN_TAKES_UDP, &d);
	if (spin_unlikely(reason == SPIN_REASON_UDP_LENGTH))
		return spin_length_differs_(ctx);
	return spin_dispatch_(ctx, &view, &d, reason);
}

#define SPIN_HEADERS_BYTES 128u /* Ethernet, two tags, IP with options, UDP or 20 bytes of TCP: 102 */

struct spin_headers {
	uint8_t bytes[SPIN_HEADERS_BYTES + 64];
	uint64_t scratch;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct spin_headers);
} spin_headers SEC(".maps");

/* The same on a copy of the headers, for a process without CAP_PERFMON, whose contexts are all isolated. */
SEC("?xdp")
int spin_root_copy(struct xdp_md *ctx)
{
	uint32_t zero = 0, bytes = bpf_xdp_get_buff_len(ctx), held;
	struct spin_headers *headers = bpf_map_lookup_elem(&spin_headers, &zero);
	struct spin_view view = { .access = SPIN_COPIED, .bytes = bytes };
	struct spin_datagram d;

	if (!headers)
		return XDP_ABORTED; /* unreachable: for the verifier */
	held = bytes < SPIN_HEADERS_BYTES ? bytes : SPIN_HEADERS_BYTES;
	if (!held || bpf_xdp_load_bytes(ctx, 0, headers->bytes, spin_masked_length(held, SPIN_HEADERS_BYTES)))
		return XDP_ABORTED; /* unreachable: for the verifier */
	view.data = headers->bytes;
	view.scratch = &headers->scratch;
	return spin_dispatch_(ctx, &view, &d, spin_parse_as(&view, SPIN_TAKES_UDP, &d));
}
