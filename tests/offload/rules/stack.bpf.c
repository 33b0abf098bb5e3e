/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The stack: 512 bytes in frames of 64. */
#include "tests/offload/rules/rules.h"

LICENSE;

SEC("xdp")
int all_of_it(struct xdp_md *ctx)
{
	asm volatile("r1 = 7\n*(u64 *)(r10 - 512) = r1" ::: "r1", "memory");
	return XDP_PASS;
}

static __attribute__((noinline)) int deeper(int seed)
{
	asm volatile("r1 = %0\n*(u64 *)(r10 - 64) = r1" ::"r"(seed) : "r1", "memory");
	return seed + 1;
}

/* 448 and 64 bytes, the second frame with 4 more for the return address: in chunks of 64 these are 576. */
SEC("xdp")
int in_two_frames(struct xdp_md *ctx)
{
	asm volatile("r1 = 7\n*(u64 *)(r10 - 448) = r1" ::: "r1", "memory");
	return deeper(bpf_get_prandom_u32()) & 1 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int at_variable_offset(struct xdp_md *ctx)
{
	__u64 index = PACKET(ctx, 14)[0] & 7, value;

	asm volatile("r1 = 7\n*(u64 *)(r10 - 8) = r1\n*(u64 *)(r10 - 16) = r1\n"
		     "r1 = r10\nr1 += -16\nr1 += %1\n%0 = *(u8 *)(r1 + 0)"
		     : "=r"(value)
		     : "r"(index)
		     : "r1", "memory");
	return value & 1 ? XDP_PASS : XDP_DROP;
}
