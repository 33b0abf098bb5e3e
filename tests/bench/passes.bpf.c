/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Passes each piece of a TCP stream: what a sockmap costs without handlers. The bound of socket.tcp_vs_plain: streams.c puts a connection
 * into the map before its first byte.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_SOCKMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} socks SEC(".maps");

SEC("sk_skb/stream_verdict")
int passes(struct __sk_buff *skb)
{
	(void)skb;
	return SK_PASS;
}
