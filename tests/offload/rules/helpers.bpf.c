/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which helpers this firmware has. */
#include "tests/offload/rules/rules.h"

LICENSE;

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, 4);
	__uint(value_size, 4);
} events SEC(".maps");

SEC("xdp")
int prandom(struct xdp_md *ctx)
{
	return bpf_get_prandom_u32() & 1 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int perf_event(struct xdp_md *ctx)
{
	__u64 what = 7;

	bpf_perf_event_output(ctx, &events, BPF_F_CURRENT_CPU, &what, sizeof(what));
	return XDP_PASS;
}

SEC("xdp")
int perf_event_of_another_cpu(struct xdp_md *ctx)
{
	__u64 what = 7;

	bpf_perf_event_output(ctx, &events, 0, &what, sizeof(what));
	return XDP_PASS;
}

/* One constant that is always possible: 84 bytes more, or 46 less, needs no check at run time. */
SEC("xdp")
int adjust_head_by_84(struct xdp_md *ctx)
{
	return bpf_xdp_adjust_head(ctx, -84) ? XDP_DROP : XDP_TX;
}

SEC("xdp")
int adjust_head_by_85(struct xdp_md *ctx)
{
	return bpf_xdp_adjust_head(ctx, -85) ? XDP_DROP : XDP_TX;
}

SEC("xdp")
int adjust_head_by_minus_46(struct xdp_md *ctx)
{
	return bpf_xdp_adjust_head(ctx, 46) ? XDP_DROP : XDP_TX;
}

SEC("xdp")
int adjust_head_by_minus_47(struct xdp_md *ctx)
{
	return bpf_xdp_adjust_head(ctx, 47) ? XDP_DROP : XDP_TX;
}

/* Two of them are checked, both. */
SEC("xdp")
int adjust_head_twice(struct xdp_md *ctx)
{
	return bpf_xdp_adjust_head(ctx, -20) || bpf_xdp_adjust_head(ctx, -20) ? XDP_DROP : XDP_TX;
}

SEC("xdp")
int adjust_tail(struct xdp_md *ctx)
{
	return bpf_xdp_adjust_tail(ctx, -4) ? XDP_DROP : XDP_TX;
}

SEC("xdp")
int ktime(struct xdp_md *ctx)
{
	return bpf_ktime_get_ns() & 1 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int smp_processor_id(struct xdp_md *ctx)
{
	return bpf_get_smp_processor_id() & 1 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int redirect(struct xdp_md *ctx)
{
	return bpf_redirect(1, 0);
}

SEC("xdp")
int csum_diff(struct xdp_md *ctx)
{
	__u32 from = 1, to = 2;

	return bpf_csum_diff(&from, sizeof(from), &to, sizeof(to), 0) & 1 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int load_bytes(struct xdp_md *ctx)
{
	__u8 bytes[4] = { 0 };

	return bpf_xdp_load_bytes(ctx, 0, bytes, sizeof(bytes)) ? XDP_PASS : XDP_DROP;
}
