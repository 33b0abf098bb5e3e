/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hand-written XDP program that does the same as handlers/kvstore.c: answers GETs of a key-value store from a cache. The baseline with
 * which tests/bench/xdp.c compares the handler's cost.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define PORT          9000
#define WORDS         8
#define WAYS          4
#define SETS          125
#define MESSAGE_BYTES 48

enum reason { OTHER, MALFORMED, FRAGMENT, BAD_CHECKSUM, HANDLED, ANSWERED, REASONS };

struct message {
	__u16 op, found;
	__u32 id, key, lease, value[WORDS];
};

struct line {
	__u32 tag, key, value[WORDS];
};

struct set {
	__u32 clock;
	struct line line[WAYS];
};

struct set sets[SETS];
__u64 counts[256][8];

static __always_inline __u32 fold(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

#define READ(x)   (*(volatile __u32 *)&(x))
#define BARRIER() asm volatile("" ::: "memory")

static __always_inline __u32 claim_line(struct line *line, __u32 key)
{
	__u32 tag = READ(line->tag), taken = (tag & ~3u) + 4;

	if ((tag & 3) == 1)
		return 0;
	taken = taken ? taken : 4;
	if (__sync_val_compare_and_swap(&line->tag, tag, taken | 1) != tag)
		return 0;
	line->key = key;
	BARRIER();
	*(volatile __u32 *)&line->tag = taken;
	return taken;
}

/* Returns 1 if the request was answered in place. */
static __always_inline int serve(struct message *m)
{
	__u32 key = bpf_ntohl(m->key), lease = 0, tag, way = WAYS, index = key % SETS;
	struct line *line = 0;
	struct set *set;
	int get = m->op == bpf_htons(1);

	if (!get && m->op != bpf_htons(2))
		return 0;
	asm volatile("" : "+r"(index));
	if (index >= SETS)
		return 0;
	set = &sets[index];
	for (int w = 0; w < WAYS; w++) {
		if (READ(set->line[w].key) == key && READ(set->line[w].tag)) {
			line = &set->line[w];
			way = w;
			break;
		}
	}
	if (line) {
		__u32 value[WORDS];

		tag = READ(line->tag);
		if (get && (tag & 3) == 3) {
			BARRIER();
			for (int i = 0; i < WORDS; i++)
				value[i] = READ(line->value[i]);
			BARRIER();
			if (READ(line->tag) == tag) {
				m->op = bpf_htons(3);
				m->found = bpf_htons(1);
				__builtin_memcpy(m->value, value, sizeof(value));
				if (!(set->clock >> way & 1))
					set->clock |= 1u << way;
				return 1;
			}
		}
	}
	if (line) {
		lease = (READ(line->tag) & ~3u) | way;
	} else {
		__u32 clock = set->clock, hand = clock >> 4 & 3, used = clock & 15;

		for (int w = 0; w < WAYS && used >> hand & 1; w++) {
			used &= ~(1u << hand);
			hand = (hand + 1) & 3;
		}
		set->clock = ((hand + 1) & 3) << 4 | used;
		way = hand;
		asm volatile("" : "+r"(hand));
		line = &set->line[hand & 3];
		tag = claim_line(line, key);
		if (tag)
			lease = tag | way;
	}
	m->lease = lease;
	return 0;
}

static __always_inline __u64 sum_message(const struct message *m)
{
	__u64 sum = 0;

	for (int i = 0; i < MESSAGE_BYTES / 4; i++)
		sum += ((const __u32 *)m)[i];
	return sum;
}

static __always_inline enum reason handle_ip4(struct ethhdr *eth, struct iphdr *ip, void *end)
{
	__u32 *word = (void *)ip, pseudo, addr;
	struct message *m;
	struct udphdr *udp;
	__u16 port, mac;
	__u32 header, bytes;
	__u64 sum = 0;
	int none, partial;

	if ((void *)(ip + 1) > end || ip->version != 4 || ip->ihl < 5)
		return MALFORMED;
	if (ip->protocol != IPPROTO_UDP)
		return OTHER;
	if (ip->frag_off & bpf_htons(0x3fff))
		return FRAGMENT;
	header = ip->ihl * 4;
	udp = (void *)ip + header;
	m = (void *)(udp + 1);
	if ((void *)m > end)
		return MALFORMED;
	if (udp->dest != bpf_htons(PORT))
		return OTHER;
	bytes = bpf_ntohs(udp->len) - sizeof(*udp);
	if (bpf_ntohs(ip->tot_len) != header + bpf_ntohs(udp->len) || (void *)ip + bpf_ntohs(ip->tot_len) > end)
		return MALFORMED;
	if (bytes != MESSAGE_BYTES || (void *)(m + 1) > end)
		return OTHER; /* longer messages are left to the server */
	for (int i = 0; i < 5; i++)
		sum += word[i];
	for (int i = 5; i < 15 && i < ip->ihl; i++) {
		__u32 *option = word + i;

		asm volatile("" : "+r"(option));
		if ((void *)(option + 1) > end)
			return MALFORMED;
		sum += *option;
	}
	if (fold(sum) != 0xffff)
		return BAD_CHECKSUM;
	sum = (__u64)bpf_htons(IPPROTO_UDP) + udp->len + ip->saddr + ip->daddr;
	pseudo = fold(sum);
	none = !udp->check;
	sum += (__u64)udp->source + udp->dest + udp->len + sum_message(m);
	partial = 0;
	if (!none && fold(sum + udp->check) != 0xffff) {
		partial = udp->check == pseudo;
		if (!partial)
			return BAD_CHECKSUM;
	}
	if (!serve(m)) {
		if (!none && !partial) {
			__u32 check = (__u16)~fold((__u64)(__u16)~udp->check + m->lease);

			udp->check = check ? check : 0xffff;
		}
		return HANDLED;
	}
	for (int i = 0; i < 3; i++) {
		mac = ((__u16 *)eth->h_dest)[i];
		((__u16 *)eth->h_dest)[i] = ((__u16 *)eth->h_source)[i];
		((__u16 *)eth->h_source)[i] = mac;
	}
	addr = ip->saddr;
	ip->saddr = ip->daddr;
	ip->daddr = addr;
	sum = (__u64)(__u16)~ip->check + (__u16) ~*(__u16 *)&ip->ttl + (__u16)~ip->tot_len;
	ip->ttl = 64;
	ip->tot_len = bpf_htons(header + sizeof(*udp) + MESSAGE_BYTES);
	ip->check = ~fold(sum + *(__u16 *)&ip->ttl + ip->tot_len);
	udp->len = bpf_htons(sizeof(*udp) + MESSAGE_BYTES);
	port = udp->source;
	udp->source = udp->dest;
	udp->dest = port;
	if (!none) {
		__u32 check;

		sum = (__u64)bpf_htons(IPPROTO_UDP) + udp->len + ip->saddr + ip->daddr + udp->source + udp->dest + udp->len +
		      sum_message(m);
		check = (__u16)~fold(sum);
		udp->check = check ? check : 0xffff;
	}
	return ANSWERED;
}

SEC("xdp")
int baseline(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end, *at;
	struct ethhdr *eth = data;
	enum reason reason = MALFORMED;
	__u16 type;

	at = eth + 1;
	if (at <= end) {
		type = eth->h_proto;
		if ((type == bpf_htons(ETH_P_8021Q) || type == bpf_htons(ETH_P_8021AD)) && at + 4 <= end) {
			type = *(__u16 *)(at + 2);
			at += 4;
		}
		reason = type == bpf_htons(ETH_P_IP) ? handle_ip4(eth, at, end) : OTHER;
	}
	if (reason == ANSWERED) {
		struct iphdr *ip = at;
		int bytes = (at - data) + ((void *)(ip + 1) <= end ? ip->ihl * 4 : 0) + sizeof(struct udphdr) + MESSAGE_BYTES;
		int excess = bytes - (int)(end - data);

		if (excess)
			bpf_xdp_adjust_tail(ctx, excess);
	}
	counts[bpf_get_smp_processor_id() & 255][reason]++;
	return reason == ANSWERED ? XDP_TX : XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
