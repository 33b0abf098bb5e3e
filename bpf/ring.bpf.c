/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * XDP program that delivers packets to the application's AF_XDP sockets instead of the host's stack (user/libspin/ring/). It runs between
 * the dispatcher and a context's program. It tail-calls that program from a subprogram, so that it returns here, even if it makes tail
 * calls itself.
 *
 * Only packets that handlers deliver (SUCCESS, PROCEEDED) go to a socket. Packets that the context's program passes because a host would
 * refuse them have the same XDP action, so the context's counters are compared before and after. A CPU or queue runs one program at a time,
 * so no other packet is counted in between.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <spin/spin.h>
#include <spin/context.h>

#include "bpf/abi/ring.h"

char spin_license[] SEC("license") = "Dual BSD/GPL";

struct spin_ring_counts spin_ring_counts[SPIN_HPUS_MAX];
const volatile struct spin_ring_config spin_ring_config;

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 2);
	__uint(key_size, 4);
	__uint(value_size, 4);
} spin_ring_progs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, SPIN_RING_QUEUES_MAX);
	__uint(key_size, 4);
	__uint(value_size, 4);
} spin_ring_sockets SEC(".maps");

/* Replaced by the context's own map, whose value is longer, at load time. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct spin_counters) * SPIN_HPUS_MAX);
} spin_ring_context SEC(".maps");

/* Both return the context's program's result, -1 if there is none: as spin_guarded_run() in guard.bpf.c. */
__attribute__((noinline)) int spin_ringed_run_0(struct xdp_md *ctx)
{
	int none = -1;

	bpf_tail_call_static(ctx, &spin_ring_progs, 0);
	__asm__ volatile("" : "+r"(none));
	return none;
}

__attribute__((noinline)) int spin_ringed_run_1(struct xdp_md *ctx)
{
	int none = -1;

	bpf_tail_call_static(ctx, &spin_ring_progs, 1);
	__asm__ volatile("" : "+r"(none));
	return none;
}

/* Returns how many packets handlers have delivered on this HPU so far. */
SPIN_INLINE uint64_t spin_ring_handled_(const struct spin_counters *counters)
{
	return *(const volatile uint64_t *)&counters->packets[SPIN_REASON_SUCCESS] +
	       *(const volatile uint64_t *)&counters->packets[SPIN_REASON_PROCEEDED];
}

/*
 * Runs the context's program and delivers to the ring what its handlers have passed. A packet that no handler saw goes to the host's stack.
 */
SPIN_INLINE int spin_ring_(struct xdp_md *ctx, _Bool second)
{
	const uint32_t cpu = bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1);
	const uint32_t hpu = (spin_ring_config.hpu_is_queue ? ctx->rx_queue_index : cpu) & (SPIN_HPUS_MAX - 1);
	const uint32_t zero = 0;
	const uint8_t *bss = bpf_map_lookup_elem(&spin_ring_context, &zero);
	const struct spin_counters *counters;
	struct spin_ring_counts *counts;
	uint64_t handled;
	int action;

	if (!bss)
		return XDP_ABORTED; /* unreachable: for the verifier */
	counters = (const struct spin_counters *)(bss + spin_ring_config.counters_at) + hpu;
	handled = spin_ring_handled_(counters);
	action = second ? spin_ringed_run_1(ctx) : spin_ringed_run_0(ctx);
	if (action == -1)
		return XDP_PASS; /* no program */
	if (action != XDP_PASS || spin_ring_handled_(counters) == handled)
		return action;
	counts = &spin_ring_counts[cpu];
	if (bpf_xdp_get_buff_len(ctx) > spin_ring_config.frame_bytes) {
		counts->too_long++;
		return XDP_PASS;
	}
	action = (int)bpf_redirect_map(&spin_ring_sockets, ctx->rx_queue_index, XDP_PASS);
	if (action == XDP_REDIRECT)
		counts->delivered++;
	else
		counts->unbound++;
	return action;
}

SEC("xdp")
int spin_ring_0(struct xdp_md *ctx)
{
	return spin_ring_(ctx, 0);
}

SEC("xdp")
int spin_ring_1(struct xdp_md *ctx)
{
	return spin_ring_(ctx, 1);
}
