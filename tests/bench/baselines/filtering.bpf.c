/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hand-written XDP program that does the same as handlers/filtering.c: finds a packet's source address in a table and sets its destination
 * port. The baseline with which tests/bench/xdp.c compares the handler's cost.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define PORT    9000
#define ENTRIES 65536
#define PROBES  8

enum reason { OTHER, MALFORMED, FRAGMENT, BAD_CHECKSUM, HANDLED, REASONS };

struct route {
	__u32 src;
	__u16 port, unused;
};

struct route routes[ENTRIES];
__u64 counts[256][8];

static __always_inline __u32 fold(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

static __always_inline enum reason steer4(struct iphdr *ip, void *end)
{
	__u32 header, total, home, *word = (void *)ip;
	struct udphdr *udp;
	__u64 sum = 0;

	if ((void *)(ip + 1) > end)
		return MALFORMED;
	header = ip->ihl * 4;
	if (ip->version != 4 || header < sizeof(*ip))
		return MALFORMED;
	if (ip->protocol != IPPROTO_UDP)
		return OTHER;
	if (ip->frag_off & bpf_htons(0x3fff))
		return FRAGMENT;
	udp = (void *)ip + header;
	if ((void *)(udp + 1) > end)
		return MALFORMED;
	total = bpf_ntohs(ip->tot_len);
	if (total < header + sizeof(*udp) || (void *)ip + total > end || bpf_ntohs(udp->len) != total - header)
		return MALFORMED;
	if (udp->dest != bpf_htons(PORT))
		return OTHER;
	for (int i = 0; i < 5; i++)
		sum += word[i];
	for (__u32 i = 5; i < 15 && i < header / 4; i++) {
		if ((void *)(word + i + 1) > end)
			break;
		sum += word[i];
	}
	if (fold(sum) != 0xffff)
		return BAD_CHECKSUM;
	if (total == header + sizeof(*udp))
		return HANDLED;
	home = (ip->saddr * 2654435769u) >> 16;
	for (int i = 0; i < PROBES; i++) {
		struct route *route = &routes[(home + i) & (ENTRIES - 1)];
		__u32 sum16;

		if (!route->src)
			break;
		if (route->src != ip->saddr)
			continue;
		sum = (__u64)bpf_htons(IPPROTO_UDP) + bpf_htons(total - header) + ip->saddr + ip->daddr;
		if (udp->check && udp->check != fold(sum)) {
			sum16 = (__u16)~udp->check;
			sum16 += (__u16)~udp->dest;
			sum16 += route->port;
			sum16 = (__u16)~fold(sum16);
			udp->check = sum16 ? sum16 : 0xffff;
		}
		udp->dest = route->port;
		break;
	}
	return HANDLED;
}

static __always_inline enum reason classify(void *data, void *end)
{
	struct ethhdr *eth = data;
	void *at = eth + 1;
	__u16 type;

	if (at > end)
		return MALFORMED;
	type = eth->h_proto;
	for (int i = 0; i < 2; i++) {
		if (type != bpf_htons(ETH_P_8021Q) && type != bpf_htons(ETH_P_8021AD))
			break;
		if (at + 4 > end)
			return MALFORMED;
		type = *(__u16 *)(at + 2);
		at += 4;
	}
	return type == bpf_htons(ETH_P_IP) ? steer4(at, end) : OTHER;
}

SEC("xdp")
int baseline(struct xdp_md *ctx)
{
	enum reason reason = classify((void *)(long)ctx->data, (void *)(long)ctx->data_end);

	counts[bpf_get_smp_processor_id() & 255][reason]++;
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
