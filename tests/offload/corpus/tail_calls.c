/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Tail calls, callbacks, and functions that are nowhere. */
/* expect: reject tail-call : KIND=0 */
/* expect: reject callback : KIND=1 */
/* expect: reject link : KIND=2 */
#include "corpus.h"

#if KIND == 0
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 4);
	__uint(key_size, 4);
	__uint(value_size, 4);
} map SEC(".maps");

SEC("xdp") int prog(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &map, 1);
	return XDP_PASS;
}
#elif KIND == 2
int missing(void);

SEC("xdp") int prog(struct xdp_md *ctx)
{
	return missing();
}
#else
static int round(__u32 index, void *sum)
{
	*(unsigned *)sum += index;
	return 0;
}

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned sum = 0;

	bpf_loop(10, round, &sum, 0);
	return sum == 45 ? XDP_PASS : XDP_DROP;
}
#endif
