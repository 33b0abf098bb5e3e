/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_HPU_H
#define BPF_HPU_H

/*
 * The number of the HPU (the processor that runs handlers, here a CPU or a receive queue) that a program runs on, and how a program leaves
 * it (<spin/hpu.h>). Included by context.bpf.c. A CPU or a queue runs one program at a time, because XDP runs with softirqs disabled, so
 * data of one HPU needs no atomics. A sweep, which ends idle messages, runs on the CPU that requested it. If HPUs are queues, a sweep
 * belongs to none of them and uses only the last HPU's data.
 */
#include "bpf/spread.h"

SPIN_INLINE uint32_t spin_hpu(const struct xdp_md *ctx)
{
	uint32_t hpu = spin_config.hpu_is_queue ? ctx->rx_queue_index : bpf_get_smp_processor_id();

	return hpu & (SPIN_HPUS_MAX - 1);
}

SPIN_INLINE uint32_t spin_hpu_of_sweep(void)
{
	uint32_t hpu = spin_config.hpu_is_queue ? spin_config.hpus - 1 : bpf_get_smp_processor_id();

	return hpu & (SPIN_HPUS_MAX - 1);
}

/* Every program that handles a packet returns through this. */
SPIN_INLINE int spin_leave_hpu(int action)
{
	if (spin_spread_config.hpus)
		spin_spread_finished();
	return action;
}

#endif
