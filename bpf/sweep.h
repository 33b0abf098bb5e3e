/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_BPF_SWEEP_H
#define SPIN_BPF_SWEEP_H

/*
 * What no packet does: ending messages whose packets do not come any more (PsPIN 3.2.3).
 * One sweep at a time, while packets flow.
 */
#include "message.h"

/* Nothing that was claimed is still being handled. Nobody claims any more: the generation is another one. */
SPIN_INLINE _Bool spin_sweep_is_still_(uint32_t mpq, uint32_t generation)
{
	const struct spin_mpq *q = spin_mpq_at(mpq);
	uint32_t done = spin_peek(&q->done), ended = (done & ~SPIN_DONE_LAST) + (done >> 31) + spin_peek(&q->broken);

	return ended == spin_window_claimed(mpq, generation);
}

SPIN_INLINE _Bool spin_sweep_is_idle(const struct spin_mpq *q, uint32_t now)
{
	uint32_t phase = spin_load32(&q->phase);

	if (phase == SPIN_MPQ_ENDING)
		return (spin_peek(&q->flags) & SPIN_MPQ_EVICTING) != 0;
	return (phase == SPIN_MPQ_WAITING || phase == SPIN_MPQ_OPEN) &&
	       spin_age(now, spin_peek(&q->time)) > spin_config.idle_ticks;
}

/* Evicts a message that is idle; one with a handler at work is evicted by a later sweep. */
SPIN_INLINE void spin_sweep_evict(uint32_t mpq, uint32_t hpu, uint32_t now)
{
	struct spin_mpq *q = spin_mpq_at(mpq);
	uint32_t phase = spin_load32(&q->phase);

	/* it may have gone on since it was found idle */
	if (phase == SPIN_MPQ_ENDING ? !(spin_peek(&q->flags) & SPIN_MPQ_EVICTING) :
				       phase != SPIN_MPQ_OPEN && phase != SPIN_MPQ_WAITING)
		return;
	if (phase != SPIN_MPQ_ENDING) {
		if (spin_swap_if(&q->phase, phase, SPIN_MPQ_ENDING) != phase)
			return;
		/* same tags of the lanes, another message to whoever is about to claim a packet */
		spin_fetch_add(&q->generation, 32);
		spin_fetch_or(&q->flags, SPIN_MPQ_EVICTING);
	}
	if (!spin_sweep_is_still_(mpq, q->generation))
		return;
	spin_message_event(mpq, hpu, SPIN_TELL_(SPIN_EVENT_TIMEOUT, 0), q->offset, 0);
	if (q->flags & SPIN_MPQ_TOOK_ME)
		spin_me_give(q->me, SPIN_ME_OPEN);
	spin_park_forget_all(q, hpu);
	spin_stats_at(hpu)->evicted++;
	spin_mpq_free(mpq, SPIN_FLOW_NONE, now);
}

#endif
