/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_KERNEL_SOCKET_H
#define BPF_KERNEL_SOCKET_H

/*
 * Asks the kernel's TCP about a segment that would begin a connection (step 7 of <spin/segment.h>), so that forged segments do not end the
 * state of a live connection, and payload that the host still reads does not get past the handlers. XDP programs see a socket's state, but
 * not its sequence numbers. Called by segment.h in BPF programs, rarely. The socket is looked for in the network namespace of the receiving
 * interface: forwarded connections have none.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/segments/segment.h"

/* Returns what the host will do with a segment for a socket in this state of TCP. */
SPIN_INLINE enum spin_host_answer spin_answer_of_state_(uint32_t state, _Bool syn)
{
	const uint32_t none_yet = 1u << BPF_TCP_SYN_SENT | 1u << BPF_TCP_CLOSE | 1u << BPF_TCP_LISTEN | 1u << BPF_TCP_NEW_SYN_RECV;
	/* the peer has closed: this socket has all of its bytes */
	const uint32_t has_all = 1u << BPF_TCP_CLOSE_WAIT | 1u << BPF_TCP_LAST_ACK | 1u << BPF_TCP_CLOSING;
	const uint32_t bit = 1u << (spin_barrier_var_(state) & 15), time_wait = 1u << BPF_TCP_TIME_WAIT;

	if (bit & (syn ? none_yet | time_wait : none_yet))
		return SPIN_HOST_UNKNOWN;
	return syn || bit & (has_all | time_wait) ? SPIN_HOST_DISCARDS : SPIN_HOST_TAKES;
}

/* Returns the kernel's socket of the connection, which must be released; NULL if there is none. */
SPIN_INLINE struct bpf_sock *spin_lookup_socket_(void *ctx, const struct spin_segment_key *key)
{
	struct bpf_sock_tuple tuple = {};

	if ((key->id & 0xff) == 4) {
		tuple.ipv4.saddr = (uint32_t)key->src[0];
		tuple.ipv4.daddr = (uint32_t)key->dst[0];
		tuple.ipv4.sport = (uint16_t)(key->id >> 48);
		tuple.ipv4.dport = (uint16_t)(key->id >> 32);
		return bpf_skc_lookup_tcp(ctx, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0);
	}
	for (int i = 0; i < 2; i++) {
		tuple.ipv6.saddr[2 * i] = (uint32_t)key->src[i];
		tuple.ipv6.saddr[2 * i + 1] = (uint32_t)(key->src[i] >> 32);
		tuple.ipv6.daddr[2 * i] = (uint32_t)key->dst[i];
		tuple.ipv6.daddr[2 * i + 1] = (uint32_t)(key->dst[i] >> 32);
	}
	tuple.ipv6.sport = (uint16_t)(key->id >> 48);
	tuple.ipv6.dport = (uint16_t)(key->id >> 32);
	return bpf_skc_lookup_tcp(ctx, &tuple, sizeof(tuple.ipv6), BPF_F_CURRENT_NETNS, 0);
}

/* Returns enum spin_host_answer: what the state of the kernel's socket says about a segment that would begin a connection. */
SPIN_INLINE uint32_t spin_ask_kernel_(void *ctx, const struct spin_segment_key *key, _Bool syn)
{
	struct bpf_sock *sk = spin_lookup_socket_(ctx, key);
	enum spin_host_answer answer = SPIN_HOST_UNKNOWN;

	if (sk) {
		answer = spin_answer_of_state_(sk->state, syn);
		bpf_sk_release(sk);
	}
	return answer;
}

/* The same for a linear frame: a global function, which the verifier follows once and not for each state of its caller. */
SPIN_NOINLINE uint32_t spin_ask_kernel_direct_(struct xdp_md *ctx, const struct spin_segment_key *key, uint32_t syn)
{
	if (spin_handlers_.delivery != SPIN_DELIVER_SEGMENTS || !key)
		return SPIN_HOST_UNKNOWN; /* unreachable */
	return spin_ask_kernel_(ctx, key, syn);
}

SPIN_INLINE enum spin_host_answer spin_ask_host(const struct spin_packet *packet, const struct spin_tcp_segment *s)
{
	const uint32_t syn = spin_segment_has_(s, SPIN_TCP_SYN);

	if (packet->view.access == SPIN_COPIED)
		return spin_verifier_forget32(spin_ask_kernel_(packet->ctx, &s->key, syn));
	return spin_ask_kernel_direct_(packet->ctx, &s->key, syn);
}

#endif
