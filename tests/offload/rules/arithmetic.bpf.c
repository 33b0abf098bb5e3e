/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Multiplication, division, byte swaps. */
#include "tests/offload/rules/rules.h"

LICENSE;

SEC("xdp")
int multiply_32(struct xdp_md *ctx)
{
	__u8 *packet = PACKET(ctx, 14);
	__u64 a = packet[0], b = packet[1];

	asm volatile("%0 *= %1" : "+r"(a) : "r"(b));
	return a > 9 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int multiply_64(struct xdp_md *ctx)
{
	__u64 *packet = (void *)PACKET(ctx, 16);
	__u64 a = packet[0];

	asm volatile("%0 *= %1" : "+r"(a) : "r"(packet[1]));
	return a > 9 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int divide_by_constant(struct xdp_md *ctx)
{
	__u32 a = PACKET(ctx, 14)[0];

	return a / 7 > 9 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int divide_by_variable(struct xdp_md *ctx)
{
	__u8 *packet = PACKET(ctx, 14);
	__u64 a = packet[0], b = packet[1];

	asm volatile("%0 /= %1" : "+r"(a) : "r"(b));
	return a > 9 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int modulo(struct xdp_md *ctx)
{
	__u64 a = PACKET(ctx, 14)[0];

	/* r1 %= 7: clang 14 takes the operator for one of its own, and turns C's into a multiplication */
	asm volatile("r1 = %0\n.8byte 0x0000000700000197\n%0 = r1" : "+r"(a)::"r1");
	return a > 3 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int to_big_endian(struct xdp_md *ctx)
{
	__u64 a = PACKET(ctx, 14)[0];

	asm volatile("%0 = be32 %0" : "+r"(a));
	return a > 3 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int to_little_endian(struct xdp_md *ctx)
{
	__u64 a = PACKET(ctx, 14)[0];

	asm volatile("%0 = le32 %0" : "+r"(a));
	return a > 3 ? XDP_PASS : XDP_DROP;
}
