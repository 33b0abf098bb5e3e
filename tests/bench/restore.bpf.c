/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * XDP program that restores the frame and tail-calls the program under test: PROG_TEST_RUN gives a program the frame that its last run
 * left. Loaded by the benchmark xdp.c. With an empty program it measures its own cost.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define LEAST 8  /* 8-byte words: frames have at least 64 bytes */
#define WORDS 11 /* covers what handlers change in a request */

__u64 frame[WORDS];

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} next SEC(".maps");

SEC("xdp")
int baseline(struct xdp_md *ctx)
{
	__u64 *to = (void *)(long)ctx->data;

	if ((void *)(to + LEAST) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	for (int i = 0; i < LEAST; i++)
		to[i] = frame[i];
	if ((void *)(to + WORDS) <= (void *)(long)ctx->data_end)
		for (int i = LEAST; i < WORDS; i++)
			to[i] = frame[i];
	bpf_tail_call(ctx, &next, 0);
	return XDP_ABORTED;
}

char _license[] SEC("license") = "Dual BSD/GPL";
