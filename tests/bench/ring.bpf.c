/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * XDP program of the benchmark ring.c, which loads it: the sender. Turns every frame of PROG_TEST_RUN's live frames mode into the next
 * datagram, or the next packet of a message, and sends it over the interface that it came from. Recycled frames keep what the receiver
 * wrote, so all headers are rewritten.
 */
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include <spin/slmp.h>

#include "tests/bench/ring.h"

struct ring_feed ring_feed;

SEC("xdp")
int generate(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data;
	__u16 flags;

	if (data + RING_HEADERS > (__u8 *)(long)ctx->data_end)
		return XDP_ABORTED;
	if (ring_feed.window && ring_feed.sequence - *(volatile __u64 *)&ring_feed.received >= ring_feed.window)
		return XDP_DROP;
	for (int i = 0; i < RING_HEADERS / 8; i++)
		((__u64 *)data)[i] = ring_feed.frame[i];
	if (!ring_feed.message_packets) {
		*(__u64 *)(data + RING_SEQUENCE_AT) = ring_feed.sequence++;
		return XDP_TX;
	}
	flags = ring_feed.turn ? 0 : SPIN_SLMP_SYN;
	*(__u32 *)(data + RING_ID_AT) = bpf_htonl(ring_feed.message_id);
	*(__u32 *)(data + RING_OFFSET_AT) = bpf_htonl(ring_feed.turn * ring_feed.stride);
	if (++ring_feed.turn == ring_feed.message_packets) {
		flags = SPIN_SLMP_EOM;
		ring_feed.turn = 0;
		ring_feed.message_id++;
	}
	*(__u16 *)(data + RING_FLAGS_AT) = bpf_htons(flags);
	return XDP_TX;
}

char ring_license[] SEC("license") = "Dual BSD/GPL";
