/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_MESSAGE_STATE_H
#define BPF_MESSAGE_STATE_H

/*
 * Variables of the message engine: the MPQs (message processing queues, one per message in flight), counters and the clock. Used by all
 * files of messages/. All are static, so the compiler drops them from an object whose handlers take no messages. spin_config is defined by
 * context.bpf.c or context.host.c.
 */
#include "bpf/atomic.h"
#include "bpf/abi/mpq.h"

static struct spin_mpq spin_mpqs[SPIN_MPQS_MAX] SPIN_MPQ_ATTR_;
static uint64_t spin_mpqs_used[SPIN_MPQ_WORDS] SPIN_MPQ_ATTR_;
static uint32_t spin_mpqs_next SPIN_MPQ_ATTR_;
static uint32_t spin_pressed_next[2] SPIN_MPQ_ATTR_; /* pressure.h: the MPQ and the entry where its next search starts */
static struct spin_message_stats spin_message_stats[SPIN_HPUS_MAX] SPIN_MPQ_ATTR_;
static uint64_t spin_clock SPIN_MPQ_ATTR_;
static uint32_t spin_events_reserved SPIN_MPQ_ATTR_; /* events with space reserved in the ring that are not written yet; atomic */

SPIN_INLINE struct spin_mpq *spin_mpq_at(uint32_t mpq)
{
	return &spin_mpqs[mpq & (SPIN_MPQS_MAX - 1)];
}

SPIN_INLINE struct spin_message_stats *spin_stats_at(uint32_t hpu)
{
	return &spin_message_stats[hpu & (SPIN_HPUS_MAX - 1)];
}

SPIN_INLINE uint64_t spin_ticks(void); /* the clock: context_maps.h, context_host.h */

SPIN_INLINE uint32_t spin_now(void)
{
	return (uint32_t)(spin_config.virtual_clock ? spin_read_once(&spin_clock) : spin_ticks());
}

#endif
