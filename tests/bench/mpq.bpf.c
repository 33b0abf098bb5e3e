/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * XDP program that changes the frame to the next packet of a message and tail-calls the program under test: PROG_TEST_RUN gives a program
 * the frame that its last run left, but each packet of a message must be sent once. Loaded by tests/common/net/packet_feed.c, for mpq.c and
 * two_cpus.c. With an empty program it measures its own cost.
 */
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "tests/bench/mpq.h"

#define ID_AT     44
#define OFFSET_AT 48

struct feed feed;

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} next SEC(".maps");

SEC("xdp")
int baseline(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	/* the last run turned it into an acknowledgement, which is shorter */
	if (data + feed.frame_bytes > end) {
		if (bpf_xdp_adjust_tail(ctx, feed.frame_bytes - (end - data)))
			return XDP_ABORTED;
		data = (void *)(long)ctx->data;
		end = (void *)(long)ctx->data_end;
	}
	if (data + FEED_HEADERS > end)
		return XDP_ABORTED;
	for (int i = 0; i < FEED_HEADERS / 8; i++)
		((__u64 *)data)[i] = feed.frame[i];
	*(__u32 *)(data + ID_AT) = bpf_htonl(feed.first_id + feed.turn);
	*(__u32 *)(data + OFFSET_AT) = bpf_htonl(feed.offset);
	if (++feed.turn >= feed.messages) {
		feed.turn = 0;
		feed.offset += feed.stride;
	}
	bpf_tail_call(ctx, &next, 0);
	return XDP_ABORTED;
}

char _license[] SEC("license") = "Dual BSD/GPL";
