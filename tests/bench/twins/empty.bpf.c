/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Nothing: what every XDP program costs. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int twin(struct xdp_md *ctx)
{
	(void)ctx;
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
