/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The guard of a context on a UDP socket (guard.h): an XDP program that runs before the handlers of an unprivileged user, and lets them see
 * only datagrams for that user's socket. It asks the kernel which socket a datagram is for, as the kernel's UDP would. Loaded by libspin
 * for spind, the service for unprivileged users. For streams of TCP only spin_guard_port is loaded (the socket's current port).
 */
#include "bpf/guard.h"

#define SPIN_AF_INET6 10

/*
 * Returns 0 if the frame is not a UDP datagram or has a VLAN tag. A global function, so that the verifier checks it once; two inlined
 * copies would add a fifth to the attach time (socket.attach_ms).
 */
__attribute__((noinline)) int spin_read_ends(struct xdp_md *ctx, struct spin_ends *out)
{
	struct spin_datagram d;

	if (!out || !spin_read_headers_(ctx, SPIN_TAKES_UDP, &d)) /* out: unreachable, for the verifier */
		return 0;
	spin_ends_of_(&d, out);
	return 1;
}

/*
 * Returns 1 if the kernel would deliver this IPv4 packet to an IPv6 socket. Only the kernel knows IPV6_V6ONLY, which may even change after
 * a socket has released its port.
 */
SPIN_INLINE _Bool spin_ip6_takes_ip4_(struct xdp_md *ctx, const struct spin_ends *ends)
{
	struct bpf_sock_tuple tuple = {};
	struct bpf_sock *sk;
	_Bool is_ip6;

	tuple.ipv4.saddr = ends->src[3];
	tuple.ipv4.daddr = ends->dst[3];
	tuple.ipv4.sport = ends->src_port;
	tuple.ipv4.dport = ends->dst_port;
	sk = bpf_sk_lookup_udp(ctx, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0);
	if (!sk)
		return 0;
	is_ip6 = sk->family == SPIN_AF_INET6;
	bpf_sk_release(sk);
	return is_ip6;
}

/*
 * Returns 1 if the socket's address is the packet's destination or the wildcard, and its peer, if it is connected, is the packet's source.
 * A multicast group must be the socket's own address: packets of a group also belong to other sockets bound to the wildcard.
 */
SPIN_INLINE _Bool spin_addresses_fit_(struct bpf_sock *sk, const struct spin_ends *ends)
{
	const _Bool connected = sk->dst_port != 0, any_fits = !spin_is_group_(ends);
	_Bool is_any;

	if (ends->is_ip4) {
		if (sk->src_ip4 ? sk->src_ip4 != ends->dst[3] : !any_fits)
			return 0;
		return !connected || sk->dst_ip4 == ends->src[3];
	}
	if (sk->family != SPIN_AF_INET6)
		return 0;
	is_any = !(sk->src_ip6[0] | sk->src_ip6[1] | sk->src_ip6[2] | sk->src_ip6[3]);
	if (is_any ? !any_fits
		   : (sk->src_ip6[0] ^ ends->dst[0]) | (sk->src_ip6[1] ^ ends->dst[1]) | (sk->src_ip6[2] ^ ends->dst[2]) |
			     (sk->src_ip6[3] ^ ends->dst[3]))
		return 0;
	return !connected || !((sk->dst_ip6[0] ^ ends->src[0]) | (sk->dst_ip6[1] ^ ends->src[1]) | (sk->dst_ip6[2] ^ ends->src[2]) |
			       (sk->dst_ip6[3] ^ ends->src[3]));
}

/*
 * Returns 1 if the kernel would deliver the packet to this socket. The dispatcher's match by address and port does not prove that: an
 * unprivileged program may release its port and keep the socket, or bind it to an address that the host does not have.
 */
SPIN_INLINE _Bool spin_is_sockets_(struct xdp_md *ctx, const struct spin_ends *ends)
{
	uint32_t zero = 0;
	struct bpf_sock *sk = bpf_map_lookup_elem(&spin_guard_socket, &zero);
	_Bool fits, is_ip6;

	if (!sk)
		return 0;
	fits = sk->src_port == spin_ntoh16(ends->dst_port) && (!sk->dst_port || sk->dst_port == ends->src_port) &&
	       (!sk->bound_dev_if || sk->bound_dev_if == ctx->ingress_ifindex) && spin_addresses_fit_(sk, ends);
	is_ip6 = sk->family == SPIN_AF_INET6;
	bpf_sk_release(sk);
	return fits && (!ends->is_ip4 || !is_ip6 || spin_ip6_takes_ip4_(ctx, ends));
}

/* Returns 1 if the packet was turned around: it goes back to its sender. */
SPIN_INLINE _Bool spin_went_back_(const struct spin_ends *was, const struct spin_ends *is)
{
	return spin_same_address_(was->src, is->dst) && spin_same_address_(was->dst, is->src) && was->src_port == is->dst_port &&
	       was->dst_port == is->src_port && spin_same_mac_(was->mac_src, is->mac_dst) && spin_same_mac_(was->mac_dst, is->mac_src);
}

/* Runs the handlers if the packet is the socket's. What they make of it may go on to the socket or back to its sender, and nowhere else. */
SEC("xdp")
int spin_guard(struct xdp_md *ctx)
{
	struct spin_guard_counts *counts = spin_own_counts_();
	struct spin_ends was = {}, is = {}; /* initialised: Linux 6.1 does not accept uninitialised stack as an argument */
	int action;

	if (!spin_read_ends(ctx, &was) || !spin_is_hosts_(ctx, &was) || !spin_is_sockets_(ctx, &was)) {
		counts->left++;
		return XDP_PASS;
	}
	action = spin_run_in_limits_(ctx, counts);
	if (action == XDP_DROP || action == XDP_ABORTED)
		return action;
	if (spin_read_ends(ctx, &is) && was.is_ip4 == is.is_ip4 && was.ip_bytes == is.ip_bytes) {
		if (action == XDP_PASS && spin_goes_on_(&was, &is))
			return XDP_PASS;
		/* not with IPv4 options, which may route it elsewhere */
		if (action == XDP_TX && spin_went_back_(&was, &is) && (!is.is_ip4 || is.ip_bytes == sizeof(struct spin_ip4)))
			return XDP_TX;
	}
	counts->refused++;
	return XDP_DROP;
}
