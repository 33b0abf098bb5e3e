/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * XDP program in front of the handlers of an execution context, used while libspin moves their memory to another layout (abi/gate.h,
 * user/libspin/swap/). While it is shut, no handler of the context runs and packets wait on the CPU that received them. No packet is lost,
 * and each sees either the old handlers with the old memory or the new ones with the new memory.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <spin/spin.h>
#include <spin/hpu.h>

#include "bpf/abi/gate.h"
#include "bpf/atomic.h"

/* Most polls of one packet, about 20 ns each. until_ns is reached first. */
#define SPIN_GATE_LOOKS (1u << 23)

char spin_license[] SEC("license") = "Dual BSD/GPL";

struct spin_gate_state spin_gate_state;
struct spin_gate_inside spin_gate_inside[SPIN_HPUS_MAX];

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4);
} spin_gate_next SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 2);
	__uint(key_size, 4);
	__uint(value_size, 4);
} spin_gate_old_or_new SEC(".maps");

/* Returns the next program's result, -1 if there is none: as spin_guarded_run() in guard.bpf.c. */
__attribute__((noinline)) int spin_gate_run(struct xdp_md *ctx)
{
	int none = -1;

	bpf_tail_call_static(ctx, &spin_gate_next, 0);
	__asm__ volatile("" : "+r"(none));
	return none;
}

/* Callback of bpf_loop(): returns 1 to stop, because the gate is open or the deadline has passed. */
static long spin_gate_look(uint32_t index, void *unused)
{
	(void)index;
	(void)unused;
	return spin_read_once(&spin_gate_state.is) != SPIN_GATE_SHUT || bpf_ktime_get_ns() > spin_read_once(&spin_gate_state.until_ns);
}

/* Waits until the gate is open. On a timeout, or on libspin's CPU, it reopens the gate for the old handlers. */
SPIN_INLINE void spin_gate_wait_(uint32_t cpu)
{
	if (cpu != spin_read_once(&spin_gate_state.cpu))
		bpf_loop(SPIN_GATE_LOOKS, spin_gate_look, 0, 0);
	spin_cmpxchg(&spin_gate_state.is, SPIN_GATE_SHUT, SPIN_GATE_OLD);
}

/* Runs the context's program, the old or the new one. While the gate is shut the packet waits. */
SEC("xdp")
int spin_gate(struct xdp_md *ctx)
{
	const uint32_t cpu = bpf_get_smp_processor_id();
	struct spin_gate_inside *inside = &spin_gate_inside[cpu & (SPIN_HPUS_MAX - 1)];
	int action;

	/* count, then read the state; libspin writes the state, then reads the counts: at least one sees the other's write */
	for (uint32_t i = 0; i < SPIN_GATE_TRIES + 1; i++) {
		spin_fetch_add(&inside->runs, 1);
		if (spin_read_once(&spin_gate_state.is) != SPIN_GATE_SHUT)
			break;
		spin_fetch_add(&inside->runs, (uint64_t)-1);
		if (i == SPIN_GATE_TRIES)
			return XDP_ABORTED; /* unreachable: libspin shuts it at most SPIN_GATE_TRIES times */
		spin_gate_wait_(cpu);
	}
	action = spin_gate_run(ctx);
	spin_fetch_add(&inside->runs, (uint64_t)-1);
	return action == -1 ? XDP_PASS : action;
}

/*
 * Returns -1 if there is no program, which the guard and the gate recognise. The load has acquire order: a program that reads NEW sees all
 * that libspin wrote to the new memory.
 */
SEC("xdp")
int spin_gate_choose(struct xdp_md *ctx)
{
	if (spin_load32(&spin_gate_state.is) == SPIN_GATE_NEW)
		bpf_tail_call_static(ctx, &spin_gate_old_or_new, 1);
	else
		bpf_tail_call_static(ctx, &spin_gate_old_or_new, 0);
	return -1;
}
