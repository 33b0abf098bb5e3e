/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loaded by redirect.c for the filtering demo: at the client's egress, changes the destination of UDP datagrams from one of `ports` ports,
 * starting at `first_port`, to the published port, as if the sender used that. iperf3 cannot send its datagrams to another port than its
 * control connection.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <linux/udp.h>
#include <stddef.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "tests/demo/redirect_config.h"

char redirect_license[] SEC("license") = "Dual BSD/GPL";

/* Set before loading. */
const volatile struct redirect_config redirect_config;

/* Number of datagrams changed, by port relative to first_port. */
__u64 redirected[REDIRECT_PORTS_MAX];

SEC("tc")
int redirect(struct __sk_buff *skb)
{
	void *data = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	struct udphdr *udp = (void *)(ip + 1);
	__u32 at = sizeof(*eth) + sizeof(*ip);
	__be16 was, to = bpf_htons(redirect_config.published_port);
	__u32 i;

	if ((void *)(udp + 1) > end || eth->h_proto != bpf_htons(ETH_P_IP) || ip->ihl != 5 || ip->protocol != IPPROTO_UDP)
		return TC_ACT_OK;
	was = udp->dest;
	i = bpf_ntohs(was) - redirect_config.first_port;
	if (i >= redirect_config.ports || i >= REDIRECT_PORTS_MAX)
		return TC_ACT_OK;
	bpf_l4_csum_replace(skb, at + offsetof(struct udphdr, check), was, to, BPF_F_MARK_MANGLED_0 | sizeof(to));
	bpf_skb_store_bytes(skb, at + offsetof(struct udphdr, dest), &to, sizeof(to), 0);
	__sync_fetch_and_add(&redirected[i], 1);
	return TC_ACT_OK;
}
