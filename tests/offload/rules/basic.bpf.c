/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Return codes, the context, the packet, calls and loops. */
#include "tests/offload/rules/rules.h"

LICENSE;

SEC("xdp")
int pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp")
int redirect_code(struct xdp_md *ctx)
{
	return XDP_REDIRECT;
}

SEC("xdp")
int packet_read(struct xdp_md *ctx)
{
	return PACKET(ctx, 14)[12] == 8 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int packet_copy_64(struct xdp_md *ctx)
{
	__u64 *packet = (void *)PACKET(ctx, 128);

#pragma unroll
	for (int i = 0; i < 8; i++)
		packet[8 + i] = packet[i];
	return XDP_TX;
}

SEC("xdp")
int ingress_ifindex(struct xdp_md *ctx)
{
	return ctx->ingress_ifindex & 1;
}

SEC("xdp")
int queue_read(struct xdp_md *ctx)
{
	return ctx->rx_queue_index & 1;
}

SEC("xdp")
int queue_write(struct xdp_md *ctx)
{
	ctx->rx_queue_index = PACKET(ctx, 14)[0] & 7;
	return XDP_PASS;
}

static __attribute__((noinline)) int sum(__u8 *packet, int seed)
{
	return packet[0] + packet[1] * 3 + seed;
}

SEC("xdp")
int call(struct xdp_md *ctx)
{
	__u8 *packet = PACKET(ctx, 14);

	return sum(packet, packet[2]) & 1 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int loop(struct xdp_md *ctx)
{
	__u32 total = 0;

#pragma clang loop unroll(disable)
	for (int i = 0; i < 20; i++)
		total += bpf_get_prandom_u32();
	return total & 1 ? XDP_PASS : XDP_DROP;
}

SEC("xdp.frags")
int frags(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp")
int store_of_constant(struct xdp_md *ctx)
{
	asm volatile(".8byte 0x00000007fffc0a62" ::: "memory"); /* *(u32 *)(r10 - 4) = 7: no inline assembly of clang 14 */
	return XDP_PASS;
}

/* One load that is of the packet on one path, and of the stack on the other. */
SEC("xdp")
int two_pointers(struct xdp_md *ctx)
{
	__u8 *packet = PACKET(ctx, 14);
	__u64 own = bpf_get_prandom_u32();
	__u8 *at = (__u8 *)&own, value;

	if (packet[3] & 1)
		at = packet;
	asm volatile("%0 = *(u8 *)(%1 + 0)" : "=r"(value) : "r"(at), "m"(own));
	return value & 1 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int too_long(struct xdp_md *ctx)
{
	__u64 a = bpf_get_prandom_u32(), b = bpf_get_prandom_u32();

	asm volatile(".rept 1500\n%0 += %1\n%1 ^= %0\n.endr" : "+r"(a), "+r"(b));
	return (a ^ b) & 1 ? XDP_PASS : XDP_DROP;
}
