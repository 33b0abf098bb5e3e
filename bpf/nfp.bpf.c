/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A context (handlers and their match rule) as one program for a NIC with hardware XDP: parses and matches the packet, runs the handlers of
 * a datagram, acts on their result and counts. Compiled by `spincc --target nfp`; SPIN_HANDLER_FILE names the handlers. <spin/offload.h>
 * says which names, maps and words a loader finds in it; kernel/README.md says what the NIC accepts.
 */
#define SPIN_RUNTIME
#include SPIN_HANDLER_FILE

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <spin/context.h>
#include <spin/offload.h>

#include "bpf/atomic.h"
#include "bpf/xdp.h"

/* A word that the loader sets: one instruction, whose value is unknown to the compiler. */
#define SPIN_NFP_SET_(n)                                                                   \
	({                                                                                 \
		uint32_t spin_word_;                                                       \
		__asm__ volatile("%0 = %1" : "=w"(spin_word_) : "i"(SPIN_NFP_WORD + (n))); \
		spin_word_;                                                                \
	})

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SPIN_REASON_COUNT);
	__type(key, uint32_t);
	__type(value, uint64_t);
} spin_counters SEC(".maps");

/* Declared for the runtime's headers; spincc rejects handlers that use it. */
extern const volatile struct spin_config spin_config;

#include "bpf/reparse.h"
#include "bpf/actions/act.h"
#include "bpf/run.h"

SPIN_INLINE uint32_t spin_random32_(const struct spin_packet *packet)
{
	(void)packet;
	return bpf_get_prandom_u32();
}

SPIN_INLINE struct spin_view spin_nfp_view_(struct xdp_md *ctx)
{
	return (struct spin_view){ SPIN_DIRECT, .data = SPIN_CONTEXT_POINTER_(ctx, data), .end = SPIN_CONTEXT_POINTER_(ctx, data_end) };
}

#define SPIN_NFP_DIFFERS_(field, value, mask) (((field)&SPIN_NFP_SET_(mask)) != SPIN_NFP_SET_(value))

/* Step 4 of <spin/reason.h>. */
SPIN_INLINE _Bool spin_nfp_match_(const struct spin_view *view, const struct spin_datagram *d)
{
	uint32_t version = SPIN_NFP_SET_(SPIN_NFP_IP_VERSION);

	if (SPIN_NFP_DIFFERS_(d->udp->dst_port, SPIN_NFP_DST_PORT, SPIN_NFP_DST_PORT_MASK) ||
	    SPIN_NFP_DIFFERS_(d->udp->src_port, SPIN_NFP_SRC_PORT, SPIN_NFP_SRC_PORT_MASK))
		return 0;
	if (version && (version == 4) != d->is_ip4)
		return 0;
	if (d->is_ip4) {
		const struct spin_ip4 *ip = d->ip;

		return !SPIN_NFP_DIFFERS_(ip->src, SPIN_NFP_SRC_ADDR, SPIN_NFP_SRC_MASK) &&
		       !SPIN_NFP_DIFFERS_(ip->dst, SPIN_NFP_DST_ADDR, SPIN_NFP_DST_MASK);
	} else {
		const struct spin_ip6 *ip = d->ip;

		if (!spin_inside_(view, ip + 1))
			return 0; /* unreachable: for the verifier */
		SPIN_UNROLL_
		for (uint32_t i = 0; i < 4; i++)
			if (SPIN_NFP_DIFFERS_(ip->src[i], SPIN_NFP_SRC_ADDR + i, SPIN_NFP_SRC_MASK + i) ||
			    SPIN_NFP_DIFFERS_(ip->dst[i], SPIN_NFP_DST_ADDR + i, SPIN_NFP_DST_MASK + i))
				return 0;
		return 1;
	}
}

/*
 * Like spin_handle() of packet.h, for datagrams only. Sets *frame_bytes for a reply, and for a datagram that the handler shortens; else it
 * stays 0.
 */
SPIN_INLINE enum spin_reason spin_nfp_handle_(const struct spin_view *view, struct spin_datagram *d, void *state, uint32_t *frame_bytes)
{
	const _Bool partial = SPIN_NFP_SET_(SPIN_NFP_PARTIAL) == 1;
	struct spin_packet packet = { .view = *view,
				      .ip = d->ip,
				      .udp = d->udp,
				      .payload = d->payload,
				      .is_ip4 = d->is_ip4,
				      .mpq = SPIN_NO_CONNECTION,
				      .reply_bytes = SPIN_NO_REPLY,
				      .deliver_bytes = SPIN_NO_REPLY,
				      .start = d->payload,
				      .start_bytes = d->payload_bytes,
				      .ip_at = d->ip_at,
				      .ip_bytes = d->ip_header_bytes,
				      .ctx = state };
	struct spin_handlers_result out;

	if (d->is_ip4 && !spin_ip4_checksum_right(view, d->ip, d->ip_header_bytes))
		return SPIN_REASON_IP_CHECKSUM;
	if (spin_handlers_.checksum == SPIN_CHECKSUM_VERIFY && !spin_sum_good(view, d, partial))
		return SPIN_REASON_UDP_CHECKSUM;
	spin_run_handlers(&packet, d->payload_bytes, &out);
	if (out.reason == SPIN_REASON_REPLIED) {
		spin_turn_around(view, d, packet.reply_bytes);
		*frame_bytes = spin_barrier_var_(d->payload_at) + packet.reply_bytes;
	} else if (out.reason == SPIN_REASON_SUCCESS && packet.deliver_bytes != SPIN_NO_REPLY) {
		const uint32_t bytes = spin_handlers_.user_header_bytes + packet.deliver_bytes;

		spin_set_length(view, d, bytes, spin_arrived_sum_(view, d, packet.sum_change, partial));
		*frame_bytes = spin_barrier_var_(d->payload_at) + bytes;
	} else if (packet.stored && (out.reason == SPIN_REASON_SUCCESS || out.reason == SPIN_REASON_PROCEEDED)) {
		spin_update_udp(view, d, packet.sum_change, partial);
	}
	return out.reason;
}

/* Parses and matches a packet and runs its handlers. If it is to leave, *frame_bytes is its length. Returns its reason. */
SPIN_INLINE enum spin_reason spin_nfp_packet_(struct xdp_md *ctx, void *state, uint32_t *frame_bytes)
{
	static const struct spin_rule udp; /* for spin_reparse_(), which uses it for ICMP only */
	struct spin_view view = spin_nfp_view_(ctx);
	struct spin_datagram d;
	enum spin_reason reason = spin_parse_view(&view, SPIN_TAKES_UDP, 0, &d);

	if (reason != SPIN_PARSED)
		return reason;
	d.is_icmp = d.is_ether = d.is_tcp = 0;
	if (!spin_reparse_(&view, &udp, &d))
		return SPIN_REASON_TRUNCATED; /* unreachable: for the verifier */
	if (!spin_nfp_match_(&view, &d))
		return SPIN_REASON_UNMATCHED;
	return spin_nfp_handle_(&view, &d, state, frame_bytes);
}

SPIN_INLINE void spin_nfp_count_(uint32_t reason)
{
	uint64_t *packets;

	if (!SPIN_NFP_SET_(SPIN_NFP_COUNT))
		return;
	packets = bpf_map_lookup_elem(&spin_counters, &reason);
	if (packets)
		(void)__sync_fetch_and_add(packets, 1);
}

/* Entry point: handles one packet on the card. */
SEC("xdp")
int spin_nfp(struct xdp_md *ctx)
{
	void *state = spin_nfp_state_();
	uint32_t leaves_bytes = 0, frame_bytes;
	enum spin_reason reason;

	if (spin_nfp_has_state_ && !state)
		return XDP_ABORTED; /* unreachable: for the verifier */
	reason = spin_nfp_packet_(ctx, state, &leaves_bytes);
	spin_nfp_count_(reason);
	if (leaves_bytes) {
		frame_bytes = (uint32_t)(SPIN_CONTEXT_POINTER_(ctx, data_end) - SPIN_CONTEXT_POINTER_(ctx, data));
		if (frame_bytes != leaves_bytes && bpf_xdp_adjust_tail(ctx, (int)leaves_bytes - (int)frame_bytes))
			return XDP_DROP; /* unreachable: no packet becomes longer */
	}
	return spin_action_(reason);
}

char spin_license[] SEC("license") = "Dual BSD/GPL";
