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

/* A division by reciprocal: clang's, of which a factor is beyond 32 bits for some verifiers. */
SEC("xdp")
int modulo_in_c(struct xdp_md *ctx)
{
	return PACKET(ctx, 14)[0] % 7 > 3 ? XDP_PASS : XDP_DROP;
}

/* r1 = (s8)r1, of -mcpu=v4: Linux 6.6 and newer know it, the driver takes it for a plain move. */
SEC("xdp")
int sign_extend(struct xdp_md *ctx)
{
	__u64 a = PACKET(ctx, 14)[0];

	asm volatile("r1 = %0\n.8byte 0x00000000000811bf\n%0 = r1" : "+r"(a)::"r1");
	return a > 3 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int jump_32(struct xdp_md *ctx)
{
	__u64 a = PACKET(ctx, 14)[0], result = XDP_PASS;

	asm volatile("r1 = %1\nif w1 > 3 goto +1\n%0 = 1" : "+r"(result) : "r"(a) : "r1");
	return result;
}
