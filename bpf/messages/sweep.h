/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_SWEEP_H
#define BPF_SWEEP_H

/*
 * Decides whether a sweep ends a message (PsPIN 3.2.3). A sweep goes through all MPQs (states of messages in flight) of a context at
 * each tick of libspin's timer; only one runs at a time, concurrently with packets. It ends a message if its last new packet came longer
 * ago than the idle timeout, or if it was to be evicted before, while one of its handlers was running (SPIN_MPQ_EVICTING). Called by
 * context.bpf.c and context.host.c for each MPQ.
 */
#include "bpf/messages/message.h"

SPIN_INLINE _Bool spin_sweep_is_idle(const struct spin_mpq *q, uint32_t now)
{
	uint32_t phase = spin_load32(&q->phase);

	if (phase == SPIN_MPQ_ENDING)
		return (spin_read_once(&q->flags) & SPIN_MPQ_EVICTING) != 0;
	return (phase == SPIN_MPQ_WAITING || phase == SPIN_MPQ_OPEN) && spin_age(now, spin_read_once(&q->time)) > spin_config.idle_ticks;
}

#endif
