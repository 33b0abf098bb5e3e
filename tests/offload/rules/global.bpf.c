/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A variable outside functions is a map with flags. */
#include "tests/offload/rules/rules.h"

LICENSE;

__u32 seen;

SEC("xdp")
int global(struct xdp_md *ctx)
{
	seen = 1;
	return XDP_PASS;
}
