/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_HPU_H
#define BPF_HPU_H

/*
 * On which HPU a program runs (<spin/hpu.h>), and how it leaves. A CPU or a queue has one program at a time: XDP
 * runs with softirqs off, so what is an HPU's own needs no atomics. A sweep runs on the CPU that asked for it;
 * where HPUs are queues it belongs to none, and has the last HPU for itself.
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

/* The end of every program that a packet comes to. */
SPIN_INLINE int spin_leave_hpu(int action)
{
	if (spin_spread_config.hpus)
		spin_spread_finished();
	return action;
}

#endif
