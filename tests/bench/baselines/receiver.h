/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_BENCH_BASELINES_RECEIVER_H
#define TESTS_BENCH_BASELINES_RECEIVER_H

/*
 * Hand-written receiver of multi-packet messages at XDP (SLMP, a message protocol over UDP, with IPv4), for the baselines of
 * tests/bench/receive.c and mpq.c. Each packet is handled once, even if it is duplicated, and the program that handles the last packet
 * detects that the message is complete. The including baseline must define
 *
 * static int handle(struct message *m, const __u8 *payload, const __u8 *end, __u32 bytes, __u32 offset);
 * static void complete(struct message *m);
 *
 * handle() returns 0, or 1 for a packet that it does not accept. A packet that arrives before its message's first one is not accepted: the
 * sender retransmits it.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define PORT   9330
#define SYN    0x4000
#define EOM    0x8000
#define ACK    0x2000
#define PROBES 8
#ifndef MESSAGES
#define MESSAGES    16384
#define PACKETS_MAX 2048 /* per message */
#endif
#define BYTES_MAX 2048 /* per packet */

enum reason { OTHER, MALFORMED, FRAGMENT, BAD_CHECKSUM, NO_MESSAGE, DUPLICATE, NO_ROOM, FAILED, HANDLED, REASONS };
enum state { NEVER, CLAIMED, OPEN, DONE }; /* DONE: remembered until its entry is reused */

struct slmp {
	__be16 flags;
	__be32 id, offset;
} __attribute__((packed));

struct message {
	__u32 state;
	__u32 src, id, port;
	__u32 stride, total, done; /* total: packets, 0 until the last one has arrived */
	__u32 sum;                 /* used by the baseline */
	__u64 next;                /* the packet after the most recent one: number << 32 | offset */
	__u64 unused[3];
	__u64 have[PACKETS_MAX / 64];
};

struct message messages[MESSAGES];
__u64 counts[256][16];

struct news {
	__u32 src, id, port, packets;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} events SEC(".maps");

struct packet {
	struct ethhdr *eth;
	struct iphdr *ip;
	struct udphdr *udp;
	struct slmp *slmp;
	__u32 ip_bytes, bytes; /* bytes: after the SLMP header */
};

static __always_inline int handle(struct message *m, const __u8 *payload, const __u8 *end, __u32 bytes, __u32 offset);
static __always_inline void complete(struct message *m);

#define LOAD(x)   (*(volatile __typeof__(x) *)&(x))
#define OPAQUE(x) asm volatile("" : "+r"(x))

/*
 * Returns 1 if `bytes` bytes are there. asm goto keeps the branch as it is written: compilers otherwise transform it into code that the
 * verifier rejects.
 */
static __always_inline int has(const void *at, __u32 bytes, const void *end)
{
	asm goto("if %0 > %1 goto %l[beyond]" : : "r"(at + bytes), "r"(end) : : beyond);
	return 1;
beyond:
	return 0;
}

static __always_inline __u32 fold(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

/* blur() returns its argument as a number that is unknown to the verifier, so that it can merge the paths that join afterwards. */
__u32 any;

static __always_inline __u32 blur(__u32 v)
{
	__u32 mask = LOAD(any), not = ~mask;

	OPAQUE(not );
	return v + (mask & not );
}

/* Returns `at + bytes`. The verifier does not carry what it learns about the frame's size in a loop beyond that loop. */
static __always_inline const __u8 *behind(const __u8 *at, __u32 bytes)
{
	at += blur(bytes) & (2 * BYTES_MAX - 1);
	OPAQUE(at);
	return at;
}

/* `start` must be at an even offset. Sums the bytes that are not in blocks of 64 first. */
static __always_inline __u64 sum_bytes(const __u8 *start, const __u8 *end, __u32 bytes)
{
	const __u8 *at = behind(start, 0);
	__u64 sum = 0;

	for (__u32 i = 0; i < 15 && i < (bytes & 63) / 4; i++, at += 4) {
		if (!has(at, 4, end))
			return 0;
		sum += *(const __u32 *)at;
	}
	at = behind(start, bytes & 60);
	for (__u32 i = 0; i < BYTES_MAX / 64 && i < bytes / 64; i++, at += 64) {
		if (!has(at, 64, end))
			return 0;
		for (int k = 0; k < 16; k++)
			sum += ((const __u32 *)at)[k];
	}
	at = behind(start, bytes & ~3u);
	if (bytes & 2) {
		if (!has(at, 2, end))
			return 0;
		sum += *(const __u16 *)at;
		at += 2;
	}
	if (bytes & 1) {
		if (!has(at, 1, end))
			return 0;
		sum += *at;
	}
	return sum;
}

static __always_inline __u32 hash_slot(__u32 src, __u32 id, __u32 port)
{
	__u64 hash = ((__u64)bpf_ntohl(id) << 16 | port) * 0x9e3779b97f4a7c15 ^ src * 0xbf58476d1ce4e5b9;

	return hash >> 48;
}

/* Returns the index of the message, or MESSAGES. */
static __always_inline __u32 find_message(__u32 src, __u32 id, __u32 port, __u32 home)
{
	for (__u32 i = 0; i < PROBES; i++) {
		struct message *m = &messages[(home + i) & (MESSAGES - 1)];

		if (m->id == id && m->src == src && m->port == port && LOAD(m->state) >= OPEN)
			return (home + i) & (MESSAGES - 1);
		if (!LOAD(m->state))
			break;
	}
	return MESSAGES;
}

/* Handles the first packet of a message: takes an entry that was never used, or that of a complete message. */
static __always_inline __u32 alloc_message(__u32 src, __u32 id, __u32 port, __u32 home, __u32 stride)
{
	for (__u32 i = 0; i < PROBES; i++) {
		struct message *m = &messages[(home + i) & (MESSAGES - 1)];
		__u32 was = LOAD(m->state);

		if ((was != NEVER && was != DONE) || __sync_val_compare_and_swap(&m->state, was, CLAIMED) != was)
			continue;
		m->src = src;
		m->id = id;
		m->port = port;
		m->stride = stride;
		m->total = m->done = m->sum = 0;
		m->next = 0;
		for (int k = 0; k < PACKETS_MAX / 64; k++)
			m->have[k] = 0;
		asm volatile("" ::: "memory");
		*(volatile __u32 *)&m->state = OPEN;
		return (home + i) & (MESSAGES - 1);
	}
	return MESSAGES;
}

static __always_inline enum reason receive(const struct packet *p, void *end)
{
	__u32 src = p->ip->saddr, id = p->slmp->id, port = p->udp->source, home = hash_slot(src, id, port);
	__u32 offset = bpf_ntohl(p->slmp->offset), last = p->slmp->flags & bpf_htons(EOM), number = 0, done;
	__u32 index = blur(find_message(src, id, port, home));
	struct message *m;
	__u64 next, bit;

	if (index >= MESSAGES) {
		if (offset)
			return NO_MESSAGE;
		index = blur(alloc_message(src, id, port, home, p->bytes));
		if (index >= MESSAGES)
			return NO_ROOM;
	}
	index = blur(index);
	m = &messages[index & (MESSAGES - 1)];
	if (offset) {
		next = LOAD(m->next);
		if ((__u32)next == offset)
			number = next >> 32;
		else if (m->stride)
			number = offset / m->stride;
		if (number * m->stride != offset)
			return MALFORMED;
	}
	number = blur(number);
	if (number >= PACKETS_MAX || (last ? p->bytes > m->stride : p->bytes != m->stride))
		return MALFORMED;
	if (m->total && (number >= m->total || (last && number != m->total - 1)))
		return MALFORMED;
	if (m->state == DONE)
		return DUPLICATE;
	bit = 1ull << (number & 63);
	OPAQUE(number);
	number &= PACKETS_MAX - 1;
	if (__sync_fetch_and_or(&m->have[number / 64], bit) & bit)
		return DUPLICATE;
	if (last)
		m->total = number + 1;
	*(volatile __u64 *)&m->next = (__u64)(number + 1) << 32 | (offset + p->bytes);
	if (handle(m, (const __u8 *)(p->slmp + 1), end, p->bytes, offset))
		return FAILED;
	done = __sync_fetch_and_add(&m->done, 1) + 1;
	if (m->total && done == m->total) {
		complete(m);
		*(volatile __u32 *)&m->state = DONE;
	}
	return HANDLED;
}

static __always_inline void emit_event(const struct message *m)
{
	struct news *news = bpf_ringbuf_reserve(&events, sizeof(*news), 0);

	if (!news)
		return;
	news->src = m->src;
	news->id = m->id;
	news->port = m->port;
	news->packets = m->total;
	bpf_ringbuf_submit(news, 0);
}

static __always_inline enum reason parse(void *data, void *at, void *end, struct packet *p)
{
	struct iphdr *ip = at;
	__u32 header, *word = at;
	const __u8 *options;
	struct udphdr *udp;
	__u64 sum = 0;

	if ((void *)(ip + 1) > end || ip->version != 4 || ip->ihl < 5)
		return MALFORMED;
	if (ip->protocol != IPPROTO_UDP)
		return OTHER;
	if (ip->frag_off & bpf_htons(0x3fff))
		return FRAGMENT;
	header = ip->ihl * 4;
	udp = at + header;
	p->slmp = (void *)(udp + 1);
	if ((void *)(p->slmp + 1) > end)
		return MALFORMED;
	if (udp->dest != bpf_htons(PORT))
		return OTHER;
	p->eth = data;
	p->ip = ip;
	p->udp = udp;
	p->ip_bytes = header;
	p->bytes = bpf_ntohs(udp->len) - sizeof(*udp) - sizeof(*p->slmp);
	if (bpf_ntohs(udp->len) < sizeof(*udp) + sizeof(*p->slmp) || p->bytes > BYTES_MAX ||
	    bpf_ntohs(ip->tot_len) != header + bpf_ntohs(udp->len) || at + bpf_ntohs(ip->tot_len) > end)
		return MALFORMED;
	for (int i = 0; i < 5; i++)
		sum += word[i];
	options = behind(at, sizeof(*ip));
	for (__u32 i = 5; i < 15 && i < header / 4; i++, options += 4) {
		if (!has(options, 4, end))
			return MALFORMED;
		sum += *(const __u32 *)options;
	}
	if (fold(sum) != 0xffff)
		return BAD_CHECKSUM;
	if (udp->check) {
		__u64 pseudo = (__u64)bpf_htons(IPPROTO_UDP) + udp->len + ip->saddr + ip->daddr;

		sum = pseudo + udp->source + udp->dest + udp->len + udp->check +
		      sum_bytes((const __u8 *)p->slmp, end, p->bytes + sizeof(*p->slmp));
		/* a local sender leaves the pseudo header's sum in the field, for the card to complete (checksum offload) */
		if (fold(sum) != 0xffff && udp->check != fold(pseudo))
			return BAD_CHECKSUM;
	}
	if (p->slmp->flags & ~bpf_htons(SYN | EOM) || (!p->slmp->offset && !(p->slmp->flags & bpf_htons(SYN))) ||
	    (!p->bytes && !(p->slmp->flags & bpf_htons(EOM))))
		return MALFORMED;
	return HANDLED;
}

/* Changes the packet to its acknowledgement, and returns its length. */
static __always_inline int acknowledge(const struct packet *p, void *data)
{
	struct iphdr *ip = p->ip;
	struct udphdr *udp = p->udp;
	__u32 addr = ip->saddr, check;
	__u16 port = udp->source, udp_bytes = sizeof(*udp) + sizeof(*p->slmp);
	__u64 sum;

	for (int i = 0; i < 3; i++) {
		__u16 mac = ((__u16 *)p->eth->h_dest)[i];

		((__u16 *)p->eth->h_dest)[i] = ((__u16 *)p->eth->h_source)[i];
		((__u16 *)p->eth->h_source)[i] = mac;
	}
	ip->saddr = ip->daddr;
	ip->daddr = addr;
	sum = (__u64)(__u16)~ip->check + (__u16) ~*(__u16 *)&ip->ttl + (__u16)~ip->tot_len;
	ip->ttl = 64;
	ip->tot_len = bpf_htons(p->ip_bytes + udp_bytes);
	ip->check = ~fold(sum + *(__u16 *)&ip->ttl + ip->tot_len);
	udp->source = udp->dest;
	udp->dest = port;
	udp->len = bpf_htons(udp_bytes);
	p->slmp->flags = bpf_htons(ACK);
	if (udp->check) {
		sum = (__u64)bpf_htons(IPPROTO_UDP) + udp->len + ip->saddr + ip->daddr + udp->source + udp->dest + udp->len +
		      *(__u16 *)p->slmp + *(__u32 *)((void *)p->slmp + 2) + *(__u32 *)((void *)p->slmp + 6);
		check = (__u16)~fold(sum);
		udp->check = check ? check : 0xffff;
	}
	return (void *)(p->slmp + 1) - data;
}

SEC("xdp")
int baseline(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end, *at;
	struct ethhdr *eth = data;
	enum reason reason = MALFORMED;
	struct packet p;
	__u16 type;
	int length = 0;

	at = eth + 1;
	if (at <= end) {
		type = eth->h_proto;
		if ((type == bpf_htons(ETH_P_8021Q) || type == bpf_htons(ETH_P_8021AD)) && at + 4 <= end) {
			type = *(__u16 *)(at + 2);
			at += 4;
		}
		reason = type == bpf_htons(ETH_P_IP) ? parse(data, at, end, &p) : OTHER;
	}
	if (reason != HANDLED) {
		counts[bpf_get_smp_processor_id() & 255][reason]++;
		return reason <= BAD_CHECKSUM ? XDP_PASS : XDP_DROP;
	}
	reason = blur(receive(&p, end)) & 15;
	counts[bpf_get_smp_processor_id() & 255][reason]++;
	if (!(p.slmp->flags & bpf_htons(SYN)) || (reason != HANDLED && reason != DUPLICATE && reason != FAILED))
		return XDP_DROP;
	length = acknowledge(&p, data);
	bpf_xdp_adjust_tail(ctx, length - (int)(end - data));
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

#endif
