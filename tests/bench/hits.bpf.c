/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * XDP programs of the benchmark hits.c, which loads them: a client of the key-value store. `generate` turns every frame of PROG_TEST_RUN's
 * live frames mode into a new request. `check` inspects and counts every reply. Both run on one CPU in softirq context, so neither sees
 * partial updates of the other.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "tests/bench/hits.h"

#define STALL_FRAMES 65536 /* a few milliseconds: requests in flight then count as lost */

char hits_license[] SEC("license") = "Dual BSD/GPL";

struct hits hits;

struct datagram {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	struct kv_message m;
} __attribute__((packed));

_Static_assert(sizeof(struct datagram) == HITS_BYTES, "a frame is headers and a message");

#define AT(data, field)  (data + offsetof(struct datagram, field))
#define U16(data, field) (*(__u16 *)AT(data, field))
#define U32(data, field) (*(__u32 *)AT(data, field))

SEC("xdp")
int generate(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	__u32 id, key, sum;

	if (data + HITS_BYTES > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	if (hits.window && hits.sent - hits.ended >= hits.window) {
		if (++hits.stalled < STALL_FRAMES)
			return XDP_DROP;
		hits.ended = hits.sent;
	}
	hits.stalled = 0;
	for (int i = 0; i < HITS_BYTES / 8; i++)
		((__u64 *)data)[i] = hits.frame[i];
	*(__u16 *)(data + HITS_BYTES - 2) = hits.frame_end;
	id = bpf_htonl(hits.sent);
	key = bpf_htonl(hits_key(hits.sent));
	hits.sent++;
	U32(data, m.id) = id;
	U32(data, m.key) = key;
	sum = (__u16)~hits.checksum + (id & 0xffff) + (id >> 16) + (key & 0xffff) + (key >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (__u16) ~((sum & 0xffff) + (sum >> 16));
	U16(data, udp.check) = sum ? sum : 0xffff;
	return XDP_TX;
}

/* Returns 1 for the first reply to a request that was sent, if it has that key's value. */
static __always_inline int is_correct(void *data, void *request)
{
	__u32 id = bpf_ntohl(U32(data, m.id)), key = hits_key(id);
	__u32 *seen = &hits.seen[id % HITS_RECENT];

	if (U32(data, ip.saddr) != U32(request, ip.daddr) || U32(data, ip.daddr) != U32(request, ip.saddr) ||
	    U16(data, udp.dest) != U16(request, udp.source) || U16(data, udp.len) != U16(request, udp.len) ||
	    U16(data, m.op) != bpf_htons(KV_REPLY) || U16(data, m.found) != bpf_htons(1) || U32(data, m.key) != bpf_htonl(key) ||
	    (__s32)(hits.sent - id) <= 0 || *seen == id + 1)
		return 0;
	for (int i = 0; i < KV_WORDS; i++)
		if (U32(data, m.value[i]) != hits_value(key, i))
			return 0;
	*seen = id + 1;
	return 1;
}

SEC("xdp")
int check(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;

	if (data + HITS_BYTES > (void *)(long)ctx->data_end || U16(data, eth.h_proto) != bpf_htons(ETH_P_IP) ||
	    *(__u8 *)AT(data, ip.protocol) != IPPROTO_UDP || U16(data, udp.source) != bpf_htons(HITS_PORT))
		return XDP_PASS;
	if (is_correct(data, hits.frame))
		hits.good++;
	else
		hits.bad++;
	if (hits.ended != hits.sent)
		hits.ended++;
	hits.stalled = 0;
	return XDP_DROP;
}
