/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An interface's XDP program: parse, find the context, hand over (DESIGN, The live
 * datapath). What belongs to no context goes on to the host, untouched and counted.
 *
 * The names below are a contract with <spin/root.h>.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <spin/spin.h>
#include <spin/root.h>

#include "parse.h"

char spin_license[] SEC("license") = "Dual BSD/GPL";

struct spin_match spin_match;
struct spin_counters spin_counters[SPIN_HPUS_MAX];

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, SPIN_CONTEXTS_MAX);
	__uint(key_size, 4);
	__uint(value_size, 4);
} spin_contexts SEC(".maps");

#include "handover.h"
#include "tap.h"

SPIN_INLINE uint64_t spin_match_bytes_(const uint8_t *addr, const uint64_t (*words)[256], int bytes)
{
	uint64_t match = ~0ull;

	for (int i = 0; i < bytes; i++)
		match &= words[i][addr[i]];
	return match;
}

SPIN_INLINE uint64_t spin_match_addresses_(const struct spin_datagram *d)
{
	const struct spin_ip4 *ip4 = d->ip;
	const struct spin_ip6 *ip6 = d->ip;

	if (d->is_ip4)
		return spin_match_bytes_((const uint8_t *)&ip4->src, spin_match.src4, 4) &
		       spin_match_bytes_((const uint8_t *)&ip4->dst, spin_match.dst4, 4);
	return spin_match_bytes_((const uint8_t *)ip6->src, spin_match.src6, 16) &
	       spin_match_bytes_((const uint8_t *)ip6->dst, spin_match.dst6, 16);
}

/* The bit of the datagram's context, 0 for none. */
SPIN_INLINE uint64_t spin_match_(const struct spin_datagram *d)
{
	uint64_t match = spin_match.dst_port[d->udp->dst_port] & spin_match.active;

	if (!match)
		return 0;
	match &= spin_match.src_port[d->udp->src_port] & (d->is_ip4 ? spin_match.ip4 : spin_match.ip6);
	if (match & ~spin_match.unaddressed)
		match &= spin_match_addresses_(d);
	return match;
}

/* The same of an ICMP message. */
SPIN_INLINE uint64_t spin_match_icmp_(const struct spin_datagram *d)
{
	uint64_t match = spin_match.icmp & spin_match.active & (d->is_ip4 ? spin_match.ip4 : spin_match.ip6);

	if (match & ~spin_match.unaddressed)
		match &= spin_match_addresses_(d);
	return match;
}

/* And of a frame that is no IP. They are few, and so are such frames. */
SPIN_INLINE uint64_t spin_match_ether_(spin_be16 type)
{
	uint64_t match = 0;

	for (uint32_t i = 0; i < SPIN_CONTEXTS_MAX; i++)
		match |= (uint64_t)spin_equal_(spin_match.ether_type[i], type) << i;
	return match & spin_match.ether & spin_match.active;
}

SPIN_INLINE void spin_give_(struct xdp_md *ctx, uint64_t match)
{
	if (!match)
		return;
	if (match & spin_match.tapped)
		spin_tap(ctx, match);
	spin_hand_over(ctx, match);
}

/* Parsed once more, so that UDP pays nothing for it. Comes back with the reason if it belongs to no context. */
SPIN_INLINE enum spin_reason spin_give_icmp_(struct xdp_md *ctx, const struct spin_view *view)
{
	struct spin_datagram d;
	enum spin_reason reason;

	d.is_ip4 = 0; /* as in spin_root() */
	if (!(spin_match.icmp & spin_match.active))
		return SPIN_REASON_NOT_UDP;
	reason = spin_parse_as(view, 1, &d);
	if (view->access == SPIN_DIRECT && spin_maybe_long(reason))
		reason = spin_parse_long(view->data, view->end, bpf_xdp_get_buff_len(ctx), 1, &d);
	if (reason != SPIN_PARSED)
		return reason;
	spin_give_(ctx, spin_match_icmp_(&d));
	return SPIN_REASON_UNMATCHED;
}

/* Counted here what belongs to no context; all else is handed over. */
SPIN_INLINE int spin_dispatch_(struct xdp_md *ctx, const struct spin_view *view, const struct spin_datagram *d,
			       enum spin_reason reason)
{
	uint32_t i;

	if (spin_likely(reason == SPIN_PARSED)) {
		reason = SPIN_REASON_UNMATCHED;
		spin_give_(ctx, spin_match_(d));
	} else if (reason == SPIN_IS_ICMP) {
		reason = spin_give_icmp_(ctx, view);
	} else if (reason == SPIN_REASON_NOT_IP && spin_match.ether) {
		spin_give_(ctx, spin_match_ether_(d->type));
	}
	_Static_assert(SPIN_REASON_COUNT <= 32, "the mask below, which is no test: see spin_count_()");
	i = view->access == SPIN_COPIED ? (uint32_t)spin_unknown_(view, reason) & 31 : reason;
	spin_counters[bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1)].packets[i]++;
	return XDP_PASS;
}

SEC("xdp")
int spin_root(struct xdp_md *ctx)
{
	const struct spin_view view = { .access = SPIN_DIRECT, .data = (uint8_t *)(long)ctx->data,
					.end = (uint8_t *)(long)ctx->data_end };
	struct spin_datagram d;
	enum spin_reason reason;

	/* clang keeps it on the stack, and Linux 6.1 takes no word from there that has no value on some way, used or not */
	d.is_ip4 = 0;
	reason = spin_parse_as(&view, 0, &d);
	if (spin_maybe_long(reason))
		reason = spin_parse_long(view.data, view.end, bpf_xdp_get_buff_len(ctx), 0, &d);
	return spin_dispatch_(ctx, &view, &d, reason);
}

#define SPIN_HEADERS_BYTES 128u /* two tags, IP options, UDP: 90 */

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

/* The same for a process without CAP_PERFMON, whose contexts are all isolated: on a copy of the headers. */
SEC("?xdp")
int spin_root_copy(struct xdp_md *ctx)
{
	uint32_t zero = 0, bytes = bpf_xdp_get_buff_len(ctx), held;
	struct spin_headers *headers = bpf_map_lookup_elem(&spin_headers, &zero);
	struct spin_view view = { .access = SPIN_COPIED, .bytes = bytes };
	struct spin_datagram d;

	if (!headers)
		return XDP_ABORTED; /* cannot be */
	held = spin_bounded_length(bytes < SPIN_HEADERS_BYTES ? bytes : SPIN_HEADERS_BYTES, SPIN_HEADERS_BYTES);
	if (!held || bpf_xdp_load_bytes(ctx, 0, headers->bytes, held))
		return XDP_ABORTED; /* cannot be */
	view.data = headers->bytes;
	view.scratch = &headers->scratch;
	return spin_dispatch_(ctx, &view, &d, spin_parse_as(&view, 0, &d));
}
