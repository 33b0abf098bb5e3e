/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loaded by replay.c for the demo: overwrites the given frame with the next captured one and passes it to a program, so that repetitions of
 * PROG_TEST_RUN process the traffic and not the program's own output. Only the first REPLAY_BYTES change, so frames must have the same
 * length.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "tests/demo/replay_frames.h"

char replay_license[] SEC("license") = "Dual BSD/GPL";

struct replay_frames replay_frames;

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} replay_target SEC(".maps");

SEC("xdp")
int replay(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 i = replay_frames.next;
	struct replay_head *to = data, *head;

	if (i >= REPLAY_FRAMES_MAX || (void *)(to + 1) > end)
		return XDP_ABORTED;
	head = &replay_frames.head[i];
	replay_frames.next = i + 1 < replay_frames.count ? i + 1 : 0;
	for (int w = 0; w < REPLAY_BYTES / 8; w++)
		to->word[w] = head->word[w];
	to->last = head->last;
	bpf_tail_call(ctx, &replay_target, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int nothing(struct xdp_md *ctx)
{
	return XDP_PASS;
}
