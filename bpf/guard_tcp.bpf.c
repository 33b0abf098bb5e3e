/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The guard of a context on a TCP socket that takes segments (guard.h): an XDP program that runs before the handlers of an unprivileged
 * user, and lets them see only segments for that user's socket. Loaded by libspin for spind, the service for unprivileged users.
 *
 * The kernel finds the segment's socket, which must have this context's mark. libspin marks the user's socket, and the kernel copies the
 * mark to the connections that a listening socket accepts from then on. So no address or port decides, and connections that another program
 * accepted on the same port earlier are never seen. The mark is an entry of spin_guard_mark in the socket's storage. XDP programs cannot
 * call bpf_sk_storage_get(), so they read the list of entries in the kernel's own structures.
 */
#include "bpf/guard.h"
#include <bpf/bpf_core_read.h>

/* The kernel's structures, located by BTF. */
struct hlist_node {
	struct hlist_node *next;
} __attribute__((preserve_access_index));

struct hlist_head {
	struct hlist_node *first;
} __attribute__((preserve_access_index));

struct bpf_local_storage_data {
	void *smap;
} __attribute__((preserve_access_index));

struct bpf_local_storage_elem {
	struct hlist_node snode;
	struct bpf_local_storage_data sdata;
} __attribute__((preserve_access_index));

struct bpf_local_storage {
	struct hlist_head list;
} __attribute__((preserve_access_index));

/* Also the start of a half-open connection (struct request_sock). */
struct sock_common {
	void *skc_listener; /* a struct sock */
} __attribute__((preserve_access_index));

struct sock {
	struct bpf_local_storage *sk_bpf_storage;
} __attribute__((preserve_access_index));

extern void *bpf_rdonly_cast(const void *at, __u32 type) __ksym __weak; /* same declaration as in newer libbpf */

#define SPIN_KERNELS_(type, at) ((const struct type *)bpf_rdonly_cast(at, bpf_core_type_id_kernel(struct type)))

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
	__type(key, int);
	__type(value, uint32_t);
} spin_guard_mark SEC(".maps");

struct spin_segment_ends {
	struct spin_ends ends;
	spin_be32 seq, ack;
	uint32_t control; /* the header's length, flags and window, as in the segment */
	uint32_t urgent;
	uint32_t ip_payload_bytes;
};

/*
 * Connections of the socket that this host has closed. When the peer has acknowledged that, the kernel keeps only a short form of the
 * connection, without the mark, and the handlers must still be told of the peer's FIN. Only connections are entered that were established,
 * so a flood of SYNs displaces none.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, SPIN_GUARD_CLOSING);
	__type(key, struct spin_guard_tuple);
	__type(value, uint32_t);
} spin_guard_closing SEC(".maps");

/* Like spin_read_ends(), for a TCP segment. */
__attribute__((noinline)) int spin_read_segment(struct xdp_md *ctx, struct spin_segment_ends *out)
{
	const struct spin_tcp *tcp;
	struct spin_datagram d;

	if (!out || !spin_read_headers_(ctx, SPIN_TAKES_TCP, &d)) /* out: unreachable, for the verifier */
		return 0;
	spin_ends_of_(&d, &out->ends);
	tcp = (const void *)d.udp;
	out->seq = tcp->seq;
	out->ack = tcp->ack;
	out->control = (uint32_t)tcp->words << 24 | (uint32_t)tcp->flags << 16 | tcp->window;
	out->urgent = tcp->urgent;
	out->ip_payload_bytes = spin_behind_ip_(d.ip, d.is_ip4, d.ip_header_bytes);
	return 1;
}

/* Returns 1 if TCP's header and the payload's length are unchanged: else TCP could be made to acknowledge what has not arrived. */
SPIN_INLINE _Bool spin_same_segment_(const struct spin_segment_ends *was, const struct spin_segment_ends *is)
{
	return !((was->seq ^ is->seq) | (was->ack ^ is->ack) | (was->control ^ is->control) | (was->urgent ^ is->urgent) |
		 (was->ip_payload_bytes ^ is->ip_payload_bytes));
}

/* Returns the kernel's socket for a segment from this source port, which must be released; NULL if there is none. */
SPIN_INLINE struct bpf_sock *spin_find_socket_(struct xdp_md *ctx, const struct spin_ends *ends, spin_be16 src_port)
{
	struct bpf_sock_tuple tuple = {};

	if (ends->is_ip4) {
		tuple.ipv4.saddr = ends->src[3];
		tuple.ipv4.daddr = ends->dst[3];
		tuple.ipv4.sport = src_port;
		tuple.ipv4.dport = ends->dst_port;
		return bpf_skc_lookup_tcp(ctx, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0);
	}
	for (int i = 0; i < 4; i++) {
		tuple.ipv6.saddr[i] = ends->src[i];
		tuple.ipv6.daddr[i] = ends->dst[i];
	}
	tuple.ipv6.sport = src_port;
	tuple.ipv6.dport = ends->dst_port;
	return bpf_skc_lookup_tcp(ctx, &tuple, sizeof(tuple.ipv6), BPF_F_CURRENT_NETNS, 0);
}

#define SPIN_STORAGES 8 /* entries of a socket's storage that are looked at; each is of another BPF object of this host */

/* Returns 1 if the kernel's struct sock has this context's mark in its storage. */
SPIN_INLINE _Bool spin_is_marked_(const void *socket)
{
	const struct bpf_local_storage *storage = SPIN_KERNELS_(sock, socket)->sk_bpf_storage;
	const struct hlist_node *node = storage->list.first; /* NULL if there is none: such loads do not fault */

	for (int i = 0; i < SPIN_STORAGES; i++) {
		const struct bpf_local_storage_elem *entry;

		if (!node)
			return 0;
		entry = SPIN_KERNELS_(bpf_local_storage_elem,
				      (const char *)node - bpf_core_field_offset(struct bpf_local_storage_elem, snode));
		if (entry->sdata.smap == (void *)&spin_guard_mark)
			return 1;
		node = entry->snode.next;
	}
	return 0;
}

SPIN_INLINE _Bool spin_is_syn_(const struct spin_segment_ends *s)
{
	return (s->control >> 16 & (SPIN_TCP_SYN | SPIN_TCP_ACK | SPIN_TCP_RST | SPIN_TCP_FIN)) == SPIN_TCP_SYN;
}

/* Returns 1 if the segment answers a SYN cookie of this listening socket. The headers are made again, as far as the kernel reads them. */
SPIN_INLINE _Bool spin_answers_cookie_(struct bpf_sock *listener, const struct spin_segment_ends *s)
{
	struct spin_tcp tcp = { .src_port = s->ends.src_port,
				.dst_port = s->ends.dst_port,
				.seq = s->seq,
				.ack = s->ack,
				.words = (uint8_t)(s->control >> 24),
				.flags = (uint8_t)(s->control >> 16) };

	if (s->ends.is_ip4) {
		struct spin_ip4 ip = { .version_ihl = 0x45, .protocol = SPIN_IP_TCP, .src = s->ends.src[3], .dst = s->ends.dst[3] };

		return !bpf_tcp_check_syncookie(listener, &ip, sizeof(ip), (void *)&tcp, sizeof(tcp));
	} else {
		struct spin_ip6 ip = { .next_header = SPIN_IP_TCP };

		*(uint8_t *)&ip = 0x60;
		for (int i = 0; i < 4; i++) {
			ip.src[i] = s->ends.src[i];
			ip.dst[i] = s->ends.dst[i];
		}
		return !bpf_tcp_check_syncookie(listener, &ip, sizeof(ip), (void *)&tcp, sizeof(tcp));
	}
}

SPIN_INLINE void spin_tuple_of_(const struct spin_ends *ends, struct spin_guard_tuple *out)
{
	for (int i = 0; i < 4; i++) {
		out->src[i] = ends->src[i];
		out->dst[i] = ends->dst[i];
	}
	out->src_port = ends->src_port;
	out->dst_port = ends->dst_port;
}

/*
 * Returns 1 if the kernel would give the segment to the context's socket, or to a connection that it has accepted since it was marked. A
 * listening socket gets SYNs, and the answers to its SYN cookies; what else the kernel finds it for is of no connection, and is answered
 * with a RST: it may have been meant for a socket of another program, which is closed. A global function, because of the stack.
 */
__attribute__((noinline)) int spin_is_sockets_segment(struct xdp_md *ctx, const struct spin_segment_ends *s)
{
	struct spin_guard_tuple tuple = {};
	const uint32_t one = 1;
	struct bpf_sock *sk;
	uint32_t state;
	_Bool is;

	if (!s)
		return 0; /* unreachable: for the verifier */
	sk = spin_find_socket_(ctx, &s->ends, s->ends.src_port);
	if (!sk)
		return 0;
	state = sk->state;
	spin_tuple_of_(&s->ends, &tuple);
	if (state == BPF_TCP_TIME_WAIT) {
		bpf_sk_release(sk);
		if (!spin_is_syn_(s))
			return bpf_map_lookup_elem(&spin_guard_closing, &tuple) != NULL;
		/* a new connection, which the listening socket gets; as no connection has port 0, that is what the kernel finds for it */
		sk = spin_find_socket_(ctx, &s->ends, 0);
		if (!sk)
			return 0;
		state = sk->state;
	}
	is = spin_is_marked_(state == BPF_TCP_NEW_SYN_RECV ? (void *)SPIN_KERNELS_(sock_common, sk)->skc_listener : sk);
	if (is && state == BPF_TCP_LISTEN && !spin_is_syn_(s))
		is = spin_answers_cookie_(sk, s);
	bpf_sk_release(sk);
	if (is && state == BPF_TCP_FIN_WAIT1)
		bpf_map_update_elem(&spin_guard_closing, &tuple, &one, BPF_ANY);
	return is;
}

/* Nothing goes back to the sender: TCP answers. */
SEC("xdp")
int spin_guard_tcp(struct xdp_md *ctx)
{
	struct spin_guard_counts *counts = spin_own_counts_();
	struct spin_segment_ends was = {}, is = {};
	int action;

	if (!spin_read_segment(ctx, &was) || spin_is_group_(&was.ends) || !spin_is_hosts_(ctx, &was.ends) ||
	    !spin_is_sockets_segment(ctx, &was)) {
		counts->left++;
		return XDP_PASS;
	}
	action = spin_run_in_limits_(ctx, counts);
	if (action == XDP_DROP || action == XDP_ABORTED)
		return action;
	if (action == XDP_PASS && spin_read_segment(ctx, &is) && was.ends.is_ip4 == is.ends.is_ip4 &&
	    was.ends.ip_bytes == is.ends.ip_bytes && spin_goes_on_(&was.ends, &is.ends) && spin_same_segment_(&was, &is))
		return XDP_PASS;
	counts->refused++;
	return XDP_DROP;
}
