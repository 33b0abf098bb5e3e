/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_OUT_H
#define BPF_OUT_H

/*
 * Sends the packets that handlers made (<spin/put.h>). Called by context.bpf.c once per arriving packet, after all handlers that it
 * started have run:
 *
 *	one packet, and nothing else leaves   it replaces the received frame and leaves by XDP_TX
 *	several packets (a reply or acknowledgement is the last)
 *	                                      the frame becomes a small clone template. The kernel makes as many copies
 *	                                      as there are packets (BPF_F_BROADCAST into a devmap that lists this
 *	                                      interface so many times); spin_out (out.bpf.c) turns each into a packet
 *	what cannot leave this way            goes to spin_requests: libspin's thread sends it
 *
 * The last copy is the received frame itself, with its own tailroom. If that is too small, the kernel makes one copy more. In
 * generic mode no copy has more room than the received frame.
 */
#include "bpf/actions/out_maps.h"
#include "bpf/spread.h"

/* Packets for libspin to send. The loader makes it larger. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} spin_requests SEC(".maps");

/* For each interface in spin_egress_dev, SPIN_EGRESS_DEVMAPS devmaps: one for each number of copies. Filled by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_DEVMAP);
			__uint(max_entries, 1);
			__uint(key_size, 4);
			__uint(value_size, 8);
		});
} spin_egress SEC(".maps");

/* Neighbours that libspin has resolved. The loader makes it larger. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC); /* preallocated, a replaced value could be reused while a program reads it */
	__type(key, struct spin_neigh_key);
	__type(value, struct spin_neigh);
} spin_neighs SEC(".maps");

static struct spin_egress_dev spin_egress_dev[SPIN_EGRESS_DEVS] SPIN_MPQ_ATTR_;
static struct spin_out_stats spin_out_stats[SPIN_HPUS_MAX] SPIN_MPQ_ATTR_;
static uint32_t spin_out_owner SPIN_MPQ_ATTR_;

SPIN_INLINE struct spin_out_stats *spin_out_stats_at(uint32_t cpu)
{
	return &spin_out_stats[cpu & (SPIN_HPUS_MAX - 1)];
}

/* Returns the index of the ingress interface in spin_egress_dev; SPIN_EGRESS_DEVS if no packets may leave there. */
SPIN_INLINE uint32_t spin_out_place_(uint32_t ifindex)
{
	uint32_t place;

	for (place = 0; place < SPIN_EGRESS_DEVS; place++)
		if (spin_read_once(&spin_egress_dev[place].ifindex) == ifindex)
			break;
	return spin_verifier_forget32(ifindex ? place : SPIN_EGRESS_DEVS); /* one state for the verifier */
}

/* Returns the smallest devmap of the interface with at least so many copies. */
SPIN_INLINE void *spin_out_egress_dev_(uint32_t place, uint32_t copies)
{
	uint32_t at = place * SPIN_EGRESS_DEVMAPS;

#define SPIN_EGRESS_IS_LESS_(size) at += spin_below_(size, copies);
	SPIN_EGRESS_SIZES(SPIN_EGRESS_IS_LESS_)
#undef SPIN_EGRESS_IS_LESS_
	return bpf_map_lookup_elem(&spin_egress, &at);
}

/*
 * Sends the frame out of its ingress interface; returns the XDP action. A packet given to another CPU cannot use XDP_TX. If this context
 * makes clone templates, the frame must also go through the devmap whose program is spin_out: the kernel runs the devmap program of the
 * first frame in a batch for the whole batch.
 */
SPIN_INLINE int spin_leave(struct xdp_md *ctx)
{
	uint32_t place;
	void *way;

	if (!spin_spread_config.hpus)
		return XDP_TX;
	place = spin_puts_ ? spin_out_place_(ctx->ingress_ifindex) : SPIN_EGRESS_DEVS;
	way = place < SPIN_EGRESS_DEVS ? spin_out_egress_dev_(place, 1) : NULL;
	return (int)(way ? bpf_redirect_map(way, 0, 0) : bpf_redirect(ctx->ingress_ifindex, 0));
}

/* Passes a packet to libspin, which sends it. */
SPIN_INLINE void spin_out_ask_(const struct spin_tx_desc *out, struct spin_out_stats *stats)
{
	uint32_t bytes = out->request.type != SPIN_REQUEST_PUT ? spin_barrier_var_(out->request.bytes) : 0, full;

	if (bytes > SPIN_REQUEST_FRAME_MAX)
		return; /* unreachable: for the verifier */
	bytes += offsetof(struct spin_request, frame);
	full = bpf_ringbuf_output(&spin_requests, (void *)&out->request, bytes, 0) != 0;
	/* no branch: clang 19 would merge the two additions into one at a variable offset, which the verifier rejects */
	full = spin_barrier_var_(full);
	stats->no_room += full;
	stats->asked += 1 - full;
}

/* The same as spin_out_route_() on an interface without forwarding, where bpf_fib_lookup() returns no neighbour. */
SPIN_INLINE _Bool spin_out_neigh_(struct xdp_md *ctx, struct spin_tx_desc *out, uint32_t ip_bytes)
{
	const struct spin_process *to = &out->request.put.target;
	struct spin_neigh_key key = { .ifindex = ctx->ingress_ifindex, .ip_version = to->ip_version };
	struct spin_neigh *neigh;

	__builtin_memcpy(key.addr, to->addr, sizeof(key.addr));
	neigh = bpf_map_lookup_elem(&spin_neighs, &key);
	if (!neigh || ip_bytes > neigh->mtu)
		return 0;
	neigh->used = 1;
	__builtin_memcpy(out->request.frame, neigh->to, 6);
	__builtin_memcpy(out->request.frame + 6, neigh->from, 6);
	return 1;
}

/* Sets the packet's Ethernet addresses. Returns 0 if no route to its target on this interface is known. */
SPIN_INLINE _Bool spin_out_route_(struct xdp_md *ctx, struct spin_tx_desc *out)
{
	struct bpf_fib_lookup fib = { .l4_protocol = SPIN_IP_UDP, .ifindex = ctx->ingress_ifindex };
	const struct spin_process *to = &out->request.put.target;
	uint32_t ip_at = spin_barrier_var_(out->request.ip_at) & 31; /* 14, 18 or 22 */
	long err;

	fib.tot_len = (uint16_t)(out->request.bytes - ip_at);
	if (to->ip_version == 4) {
		fib.family = 2; /* AF_INET */
		fib.ipv4_dst = to->addr[0];
		__builtin_memcpy(&fib.ipv4_src, out->request.frame + ip_at + offsetof(struct spin_ip4, src), 4);
	} else {
		fib.family = 10; /* AF_INET6 */
		__builtin_memcpy(fib.ipv6_src, out->request.frame + ip_at + offsetof(struct spin_ip6, src), 16);
		__builtin_memcpy(fib.ipv6_dst, to->addr, 16);
	}
	err = bpf_fib_lookup(ctx, &fib, sizeof(fib), BPF_FIB_LOOKUP_OUTPUT);
	if (err == BPF_FIB_LKUP_RET_FWD_DISABLED)
		return spin_out_neigh_(ctx, out, out->request.bytes - ip_at);
	if (err || fib.ifindex != ctx->ingress_ifindex)
		return 0;
	__builtin_memcpy(out->request.frame, fib.dmac, 6);
	__builtin_memcpy(out->request.frame + 6, fib.smac, 6);
	return 1;
}

/* Returns 1 if the packet fits the MTU; one no longer than the received frame does. The kernel checks only the clone template. */
SPIN_INLINE _Bool spin_out_fits_(struct xdp_md *ctx, const struct spin_tx_desc *out)
{
	uint32_t ip_bytes = out->request.bytes - out->request.ip_at;

	return out->request.bytes <= bpf_xdp_get_buff_len(ctx) || !bpf_check_mtu(ctx, ctx->ingress_ifindex, &ip_bytes, 0, 0);
}

/* Passes a whole group to libspin, in order. */
SPIN_INLINE void spin_out_ask_all_(uint32_t first, uint32_t count, struct spin_out_stats *stats)
{
	uint64_t round = 0;

	for (uint32_t i = 0; i < count && spin_can_loop_(&round, SPIN_TX_DESCS_RUN + 1); i = spin_verifier_forget32(i + 1)) {
		const struct spin_tx_desc *out = spin_out_at(first + i);

		if (out)
			spin_out_ask_(out, stats);
	}
}

/*
 * Shrinks the frame to the clone template. Returns 1 if the frame, which itself becomes the last copy, cannot grow to `bytes`; -1 is
 * unreachable. It tries to grow the frame, because no helper tells its tailroom or whether it is linear.
 */
SPIN_INLINE int spin_out_shrink_(struct xdp_md *ctx, uint32_t bytes)
{
	int template_bytes = sizeof(struct spin_clone_template);

	if (bpf_xdp_adjust_tail(ctx, template_bytes - (int)bpf_xdp_get_buff_len(ctx)))
		return -1;
	if (bpf_xdp_adjust_tail(ctx, (int)bytes - template_bytes))
		return 1;
	return bpf_xdp_adjust_tail(ctx, template_bytes - (int)bytes) ? -1 : 0;
}

/* Writes the clone template to the frame. */
SPIN_INLINE _Bool spin_out_carry_(struct xdp_md *ctx, uint32_t first)
{
	struct spin_clone_template *template = (void *)(long)ctx->data;

	if ((uint8_t *)(template + 1) > (uint8_t *)(long)ctx->data_end)
		return 0;
	template->type = template->unused = 0;
	template->first = first;
	return 1;
}

/* Sends `count` >= 1 packets from index `first` on, in copies of the frame or in the frame itself. */
SPIN_INLINE int spin_out_send_(struct xdp_md *ctx, struct spin_tx_desc *head, uint32_t first, uint32_t count, uint32_t longest,
			       uint32_t place, struct spin_out_stats *stats)
{
	const struct spin_tx_desc *last = spin_out_at(first + count - 1);
	uint32_t bytes, no_room = spin_read_once(&spin_egress_dev[place & (SPIN_EGRESS_DEVS - 1)].no_room);
	void *way;
	int more;

	head->count = 0;
	if (!last)
		return XDP_ABORTED; /* unreachable: for the verifier */
	bytes = spin_bounded_length(last->request.bytes, SPIN_REQUEST_FRAME_MAX);
	if (count == 1 && bytes && !bpf_xdp_adjust_tail(ctx, (int)bytes - (int)bpf_xdp_get_buff_len(ctx)) &&
	    !bpf_xdp_store_bytes(ctx, 0, (void *)last->request.frame, bytes)) {
		stats->returned++;
		return spin_leave(ctx);
	}
	more = spin_out_shrink_(ctx, no_room ? longest : bytes);
	way = spin_out_egress_dev_(place, count + (more > 0));
	if (more < 0 || (more && no_room) || !way || !spin_out_carry_(ctx, first)) {
		spin_out_ask_all_(first, count, stats);
		return XDP_DROP;
	}
	head->owner = spin_read_once(&spin_out_owner);
	head->came = 0;
	head->count = count;
	stats->copies += count;
	return (int)bpf_redirect_map(way, 0, BPF_F_BROADCAST);
}

/* Adds the received frame to the group; its headers have the offsets of those of `other`. Returns 0 if it is too long. */
SPIN_INLINE _Bool spin_out_take_frame_(struct xdp_md *ctx, struct spin_tx_desc *out, const struct spin_tx_desc *other)
{
	uint32_t bytes = spin_bounded_length((uint32_t)bpf_xdp_get_buff_len(ctx), SPIN_REQUEST_FRAME_MAX), ip_at;
	struct spin_process *to;

	if (!out || !other || !bytes || bpf_xdp_load_bytes(ctx, 0, out->request.frame, bytes))
		return 0;
	ip_at = spin_barrier_var_(other->request.ip_at) & 31;
	out->request.type = SPIN_REQUEST_PACKET;
	out->request.bytes = bytes;
	out->request.ip_at = ip_at;
	out->direct = 1;
	to = &out->request.put.target;
	to->ip_version = other->request.put.target.ip_version;
	if (to->ip_version == 4)
		__builtin_memcpy(to->addr, out->request.frame + ip_at + offsetof(struct spin_ip4, dst), 4);
	else
		__builtin_memcpy(to->addr, out->request.frame + ip_at + offsetof(struct spin_ip6, dst), 16);
	return 1;
}

/* Returns 1 if all packets of the ring can leave from here, and sets *longest to the longest one's bytes. */
SPIN_INLINE _Bool spin_out_can_leave_(struct xdp_md *ctx, uint32_t first, uint32_t count, uint32_t *longest)
{
	uint64_t round = 0;

	for (uint32_t i = 0; i < count && spin_can_loop_(&round, SPIN_TX_DESCS_RUN + 1); i = spin_verifier_forget32(i + 1)) {
		struct spin_tx_desc *out = spin_out_at(first + i);

		if (!out || out->request.type != SPIN_REQUEST_PACKET)
			return 0;
		if (!(out->direct ? spin_out_fits_(ctx, out) : spin_out_route_(ctx, out)))
			return 0;
		*longest = spin_verifier_forget32(out->request.bytes > *longest ? out->request.bytes : *longest);
	}
	return 1;
}

/*
 * Sends the packets in the ring and returns the action for the received frame. `live`: the frame was received on an interface. If one
 * packet cannot leave from here, none does, which keeps them in order.
 */
SPIN_INLINE int spin_out_all(struct xdp_md *ctx, struct spin_tx_ring *ring, int action, _Bool live, uint32_t cpu)
{
	struct spin_out_stats *stats = spin_out_stats_at(cpu);
	uint32_t first = ring->first & (SPIN_TX_DESCS - 1), count = ring->count, longest = 0, place = SPIN_EGRESS_DEVS;
	struct spin_tx_desc *head = spin_out_at(first);
	int result;

	ring->count = 0;
	if (live && spin_config.redirect && action != XDP_PASS &&
	    (action == XDP_DROP || bpf_xdp_get_buff_len(ctx) <= SPIN_REQUEST_FRAME_MAX))
		place = spin_out_place_(ctx->ingress_ifindex);
	if (!head)
		return action; /* unreachable: for the verifier */
	if (place >= SPIN_EGRESS_DEVS || !spin_out_can_leave_(ctx, first, count, &longest)) {
		spin_out_ask_all_(first, count, stats);
		return action == XDP_TX && live ? spin_leave(ctx) : action;
	}
	if (action == XDP_TX && spin_out_take_frame_(ctx, spin_out_at(first + count), head))
		count = spin_verifier_forget32(count + 1);
	result = spin_out_send_(ctx, head, first, count, longest, place, stats);
	if (head->count) /* copies in flight use these buffers */
		ring->first = first + count;
	return result;
}

/* Before the next parked packet: passes the ring to libspin if it cannot also hold that packet's output. */
SPIN_INLINE void spin_out_make_room(struct xdp_md *ctx, uint32_t cpu)
{
	struct spin_tx_ring *ring = spin_tx_ring();

	if (ring && ring->count + spin_puts_ > SPIN_TX_DESCS_RUN)
		spin_out_all(ctx, ring, XDP_PASS, 0, cpu);
}

#endif
