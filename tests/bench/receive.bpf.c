/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * XDP program that changes the frame to the next packet, message by message, and tail-calls the program under test: PROG_TEST_RUN gives a
 * program the frame that its last run left. Loaded by the benchmark receive.c. With an empty program it measures its own cost.
 */
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "tests/bench/receive.h"

#define CHECKSUM_AT 40
#define FLAGS_AT    42
#define SYN         0x4000
#define EOM         0x8000

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
	__u32 id, offset, sum;
	__u16 flags;

	/* the last run turned it into an acknowledgement, which is shorter; the frame is extended with zeros */
	if (data + feed.frame_bytes > end) {
		if (bpf_xdp_adjust_tail(ctx, feed.frame_bytes - (end - data)))
			return XDP_ABORTED;
		data = (void *)(long)ctx->data;
		end = (void *)(long)ctx->data_end;
	}
	if (data + FEED_HEADERS + 8 > end)
		return XDP_ABORTED;
	for (int i = 0; i < FEED_HEADERS / 4; i++)
		((__u32 *)data)[i] = feed.head[i];
	id = bpf_htonl(feed.id);
	offset = bpf_htonl(feed.offset);
	flags = (feed.offset ? 0 : bpf_htons(SYN)) | (feed.offset + feed.stride < feed.total ? 0 : bpf_htons(EOM));
	*(__u16 *)(data + FLAGS_AT) = flags;
	*(__u32 *)(data + FEED_HEADERS) = id;
	*(__u32 *)(data + FEED_HEADERS + 4) = offset;
	if (feed.sum) {
		sum = feed.sum + flags + (id & 0xffff) + (id >> 16) + (offset & 0xffff) + (offset >> 16);
		sum = (sum & 0xffff) + (sum >> 16);
		sum = (__u16) ~((sum & 0xffff) + (sum >> 16));
		*(__u16 *)(data + CHECKSUM_AT) = sum ? sum : 0xffff;
	}
	feed.offset += feed.stride;
	if (feed.offset >= feed.until) {
		feed.offset = feed.from;
		feed.id++;
	}
	bpf_tail_call(ctx, &next, 0);
	return XDP_ABORTED;
}

char _license[] SEC("license") = "Dual BSD/GPL";
