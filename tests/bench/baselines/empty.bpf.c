/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An XDP program that only returns XDP_PASS. The benchmarks tests/bench/xdp.c, mpq.c and receive.c measure the cost of any XDP program with
 * it, and subtract it.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int baseline(struct xdp_md *ctx)
{
	(void)ctx;
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
