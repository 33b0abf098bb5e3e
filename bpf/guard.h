/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_GUARD_H
#define BPF_GUARD_H

/*
 * What the guards of datagrams (guard.bpf.c) and of TCP segments (guard_tcp.bpf.c) have in common. A guard is an XDP program in front of
 * an execution context (handlers, their memories and a match rule) which an unprivileged user has attached to a socket (user/spind/). It
 * runs between the dispatcher and the context's program, which is untrusted:
 *
 *	before  Is the packet for this socket? If not, the packet goes to the host, and the handlers do not see it.
 *	        Have the handlers used up their share of the CPU or their events? If so, the packet is dropped (abi/guard.h).
 *	after   The packet may go to the same socket; a datagram also back to its sender. Anything else is dropped.
 *
 * The context's program is tail-called from a subprogram, so it returns to the guard, even if it makes tail calls itself.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <spin/spin.h>
#include <spin/hpu.h>

#include "bpf/abi/guard.h"
#include "bpf/parse.h"
#include "bpf/room.h"
#include "bpf/share.h"

char spin_license[] SEC("license") = "Dual BSD/GPL";

struct spin_guard_counts spin_guard_counts[SPIN_HPUS_MAX];
struct spin_guard_known spin_guard_known[SPIN_HPUS_MAX];
const volatile struct spin_guard_share spin_guard_share;
struct spin_guard_events_window spin_guard_events_window;
uint32_t spin_guard_room;

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4);
} spin_guard_prog SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_SOCKMAP);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} spin_guard_socket SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPIN_GUARD_ADDRESSES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, 16);
	__uint(value_size, 4);
} spin_guard_local SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct spin_guard_cpu);
} spin_guard_cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} spin_guard_changes SEC(".maps");

/* Replaced by the context's own map at load time. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024);
} spin_guard_events SEC(".maps");

/* Source and destination of a packet. IPv4 addresses are mapped to IPv6: ::ffff:a.b.c.d. */
struct spin_ends {
	spin_be32 src[4], dst[4];
	uint16_t mac_dst[3], mac_src[3];
	spin_be16 src_port, dst_port;
	uint32_t is_ip4;
	uint32_t ip_bytes; /* of the IP header */
};

SPIN_INLINE void spin_end_ip4_(spin_be32 *to, spin_be32 addr)
{
	to[0] = to[1] = 0;
	to[2] = spin_hton32(0xffff);
	to[3] = addr;
}

/*
 * Fills *d. Returns 0 if the frame is of another protocol, or has a VLAN tag: a tagged frame belongs to another interface, which sees it
 * again without the tag.
 */
SPIN_INLINE _Bool spin_read_headers_(struct xdp_md *ctx, enum spin_takes as, struct spin_datagram *d)
{
	const struct spin_view view = { .access = SPIN_DIRECT, .data = (uint8_t *)(long)ctx->data, .end = (uint8_t *)(long)ctx->data_end };
	enum spin_reason reason;

	d->is_ip4 = d->ip_header_bytes = 0; /* as in spin_root() */
	reason = spin_parse_as(&view, as, d);
	if (spin_maybe_long(reason))
		reason = spin_parse_long(view.data, view.end, bpf_xdp_get_buff_len(ctx), as, d);
	return reason == SPIN_PARSED && !spin_is_vlan_(d->eth->type);
}

/* Copies what says where the packet comes from and goes to, so that it can be compared after the handlers. */
SPIN_INLINE void spin_ends_of_(const struct spin_datagram *d, struct spin_ends *out)
{
	out->ip_bytes = d->ip_header_bytes;
	out->is_ip4 = d->is_ip4;
	for (int i = 0; i < 3; i++) {
		out->mac_dst[i] = ((const uint16_t *)d->eth->dst)[i];
		out->mac_src[i] = ((const uint16_t *)d->eth->src)[i];
	}
	out->src_port = d->udp->src_port;
	out->dst_port = d->udp->dst_port;
	if (d->is_ip4) {
		const struct spin_ip4 *ip = d->ip;

		spin_end_ip4_(out->src, ip->src);
		spin_end_ip4_(out->dst, ip->dst);
	} else {
		const struct spin_ip6 *ip = d->ip;

		for (int i = 0; i < 4; i++) {
			out->src[i] = ip->src[i];
			out->dst[i] = ip->dst[i];
		}
	}
}

SPIN_INLINE _Bool spin_same_address_(const spin_be32 *a, const spin_be32 *b)
{
	return !((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]));
}

SPIN_INLINE _Bool spin_same_mac_(const uint16_t *a, const uint16_t *b)
{
	return !((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]));
}

/* Returns 1 for a packet to a multicast group. */
SPIN_INLINE _Bool spin_is_group_(const struct spin_ends *ends)
{
	return ends->is_ip4 ? (spin_ntoh32(ends->dst[3]) >> 28) == 14 : (spin_ntoh32(ends->dst[0]) >> 24) == 0xff;
}

/*
 * Returns 1 if the address is in spin_guard_local. A hash lookup per packet has a measurable cost, so each CPU caches the last address it
 * found.
 */
SPIN_INLINE _Bool spin_is_local_(const spin_be32 *addr)
{
	struct spin_guard_known *known = &spin_guard_known[bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1)];
	uint32_t zero = 0;
	const volatile uint64_t *count = bpf_map_lookup_elem(&spin_guard_changes, &zero);
	uint64_t changes;

	if (!count)
		return 0; /* unreachable: for the verifier */
	changes = *count; /* before the lookup: if the address is removed during it, the next packet looks it up again */
	if (changes && known->changes == changes && spin_same_address_(known->addr, addr))
		return 1;
	if (!bpf_map_lookup_elem(&spin_guard_local, addr))
		return 0;
	for (int i = 0; i < 4; i++)
		known->addr[i] = addr[i];
	known->changes = changes;
	return 1;
}

#define SPIN_LO 1 /* ifindex of lo in each network namespace */

/*
 * Returns 1 if the packet is for this host. Broadcasts may belong to several sockets, so handlers of one do not see them. Loopback
 * addresses are accepted only on lo.
 */
SPIN_INLINE _Bool spin_is_hosts_(struct xdp_md *ctx, const struct spin_ends *ends)
{
	const spin_be32 *dst = ends->dst;
	const _Bool loopback = ends->is_ip4 ? (spin_ntoh32(dst[3]) >> 24) == 127 : !(dst[0] | dst[1] | dst[2] | (dst[3] ^ spin_hton32(1)));

	if (loopback)
		return ctx->ingress_ifindex == SPIN_LO;
	return spin_is_group_(ends) || spin_is_local_(dst);
}

/*
 * Returns the result of the context's program, after making room for longer replies; -1 if there is no program. If the function were static, the verifier would assume that it
 * always returns -1. The asm keeps the compiler from assuming the same.
 */
__attribute__((noinline)) int spin_guarded_run(struct xdp_md *ctx)
{
	int none = -1;

	if (*(volatile uint32_t *)&spin_guard_room)
		spin_make_room(ctx);
	bpf_tail_call_static(ctx, &spin_guard_prog, 0);
	__asm__ volatile("" : "+r"(none));
	return none;
}

/* Returns 1 if addresses and ports are unchanged. */
SPIN_INLINE _Bool spin_goes_on_(const struct spin_ends *was, const struct spin_ends *is)
{
	return spin_same_address_(was->src, is->src) && spin_same_address_(was->dst, is->dst) && was->src_port == is->src_port &&
	       was->dst_port == is->dst_port && spin_same_mac_(was->mac_src, is->mac_src) && spin_same_mac_(was->mac_dst, is->mac_dst);
}

/* Runs the handlers and counts their time. Returns XDP_DROP without running them if their share is used up. */
SPIN_INLINE int spin_run_in_time_(struct xdp_md *ctx, struct spin_guard_counts *own)
{
	uint32_t zero = 0;
	struct spin_guard_cpu *cpu;
	struct spin_share_run run;
	int action;

	if (!spin_guard_share.percent)
		return spin_guarded_run(ctx);
	cpu = bpf_map_lookup_elem(&spin_guard_cpus, &zero);
	if (!cpu)
		return XDP_ABORTED; /* unreachable: for the verifier */
	run = spin_share_begin_(cpu);
	spin_share_window_(cpu, run.start_ns);
	if (spin_share_is_over_(cpu, own, spin_guard_share.percent)) {
		own->over++;
		return XDP_DROP;
	}
	action = spin_guarded_run(ctx);
	spin_share_spend_(cpu, own, &run);
	return action;
}

/* Returns the action of the context's program, or XDP_DROP without running it if a limit is reached. */
SPIN_INLINE int spin_run_in_limits_(struct xdp_md *ctx, struct spin_guard_counts *own)
{
	int action;

	if (spin_guard_share.event_bytes &&
	    spin_events_are_over_(&spin_guard_events_window, bpf_ringbuf_query(&spin_guard_events, BPF_RB_PROD_POS),
				  spin_guard_share.event_bytes)) {
		own->noisy++;
		return XDP_DROP;
	}
	action = spin_run_in_time_(ctx, own);
	/* no program; an untrusted program may also return -1, so the caller's checks still apply */
	return action == -1 ? XDP_PASS : action;
}

SPIN_INLINE struct spin_guard_counts *spin_own_counts_(void)
{
	return &spin_guard_counts[bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1)];
}

/* For libspin: a socket may release its port and stay open, and another program may then attach handlers to that port. */
SEC("?tc")
int spin_guard_port(struct __sk_buff *skb)
{
	uint32_t zero = 0, port;
	struct bpf_sock *sk = bpf_map_lookup_elem(&spin_guard_socket, &zero);

	(void)skb;
	if (!sk)
		return 0;
	port = sk->src_port;
	bpf_sk_release(sk);
	return (int)port;
}

#endif
