/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A byte that lies behind what workers have of a long packet: refused when it is attached, where the MTU allows such. */
#include "tests/offload/rules/rules.h"

LICENSE;

SEC("xdp")
int deep(struct xdp_md *ctx)
{
	return PACKET(ctx, 3000)[2999] == 8 ? XDP_PASS : XDP_DROP;
}
