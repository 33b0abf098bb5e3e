/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_EVICT_H
#define BPF_EVICT_H

/*
 * Ends a message and frees its MPQ (its state while it is in flight), also before the message is complete: because no packet has arrived
 * for too long (sweep.h), because another message needs its MPQ or entry (pressure.h), or because it is longer than its entry
 * (spin_refuse()). Called by message_begin.h, message.h, pressure.h, and in a sweep by context.bpf.c and context.host.c.
 */
#include "bpf/messages/message_event.h"
#include "bpf/messages/parking.h"
#include "bpf/messages/window.h"

/* Discards the parked packets of a message that has ended. */
SPIN_INLINE void spin_park_forget_all(struct spin_mpq *q, uint32_t hpu)
{
	if (spin_read_once(&q->replay))
		spin_park_forget(spin_xchg(&q->replay, 0), hpu);
	if (spin_read_once(&q->parked))
		spin_park_forget(spin_xchg(&q->parked, 0), hpu);
}

/* Ends a message without freeing its MPQ. None of its packets is being handled. The flow gets its new state first. */
SPIN_INLINE void spin_mpq_end_(uint32_t mpq, enum spin_flow_kind flow_kind, uint32_t now)
{
	struct spin_mpq *q = spin_mpq_at(mpq);
	struct spin_flow *flow = &spin_flows[q->flow & (SPIN_FLOWS - 1)];

	spin_write_once(&flow->time, now);
	spin_store32(&flow->state, spin_flow_state(flow_kind, mpq, q->generation));
	spin_store32(&q->phase, SPIN_MPQ_FREE);
}

SPIN_INLINE void spin_mpq_free(uint32_t mpq, enum spin_flow_kind flow_kind, uint32_t now)
{
	spin_mpq_end_(mpq, flow_kind, now);
	spin_free_bit(spin_mpqs_used, SPIN_MPQ_WORDS, mpq);
}

/* Stores in the tombstone what distinguishes this message's packets from those of a new one with the same id. */
SPIN_INLINE void spin_tombstone_record(const struct spin_mpq *q, uint32_t length)
{
	struct spin_flow *flow = &spin_flows[q->flow & (SPIN_FLOWS - 1)];

	spin_write_once(&flow->stride, q->stride);
	spin_write_once(&flow->length, length);
	spin_write_once(&flow->sum, q->sum);
}

/* Added to the generation of an evicted message; not visible in the words' tags, which hold bits 4:0. */
#define SPIN_EVICTION 32u

/* Returns the number of packets handled. */
SPIN_INLINE uint32_t spin_mpq_handled(const struct spin_mpq *q)
{
	uint32_t done = spin_read_once(&q->done);

	return (done & ~SPIN_DONE_LAST) + (done >> 31);
}

/* Returns 1 if no claimed packet is still being handled. No new packet can be claimed, because the generation has changed. */
SPIN_INLINE _Bool spin_evict_is_still_(uint32_t mpq, uint32_t generation)
{
	const struct spin_mpq *q = spin_mpq_at(mpq);

	return spin_mpq_handled(q) + spin_read_once(&q->broken) == spin_window_claimed(mpq, generation);
}

/*
 * A message chosen to end: its MPQ in bits 12:0, SPIN_MPQS_MAX if there is none, and 19 bits of the MPQ's generation above. (With 64 bits,
 * 6.1's verifier takes half as many steps again for a search.) Call it before anything else of the message is read: the MPQ may get another
 * message at any time, and the generation says which one was meant.
 */
#define SPIN_CHOSEN_GENERATION_ 13

SPIN_INLINE uint32_t spin_chosen(uint32_t mpq)
{
	return spin_load32(&spin_mpq_at(mpq)->generation) << SPIN_CHOSEN_GENERATION_ | mpq;
}

SPIN_INLINE uint32_t spin_chosen_mpq(uint32_t chosen)
{
	return chosen & (2 * SPIN_MPQS_MAX - 1);
}

_Static_assert(1u << SPIN_CHOSEN_GENERATION_ == 2 * SPIN_MPQS_MAX, "an MPQ or SPIN_MPQS_MAX is below the generation");

/*
 * Stops a chosen message from accepting packets. Returns 0 if it has ended or another HPU is ending it. Phase and generation are compared
 * together: the MPQ may have the same phase again, with another message. The words' tags stay the same, but an HPU about to claim a packet
 * sees another message.
 */
SPIN_INLINE _Bool spin_evict_stop_(struct spin_mpq *q, uint32_t chosen)
{
	uint32_t generation = spin_load32(&q->generation), phase = spin_load32(&q->phase);
	uint64_t was = (uint64_t)generation << 32 | phase, ending = (uint64_t)(generation + SPIN_EVICTION) << 32 | SPIN_MPQ_ENDING;

	if ((phase != SPIN_MPQ_OPEN && phase != SPIN_MPQ_WAITING) || (generation << SPIN_CHOSEN_GENERATION_ ^ chosen) >= 2 * SPIN_MPQS_MAX)
		return 0;
	return spin_cmpxchg(&q->phase_generation, was, ending) == was;
}

/* Returns 1 if the message that was stopped can end now; else a later sweep ends it, because one of its handlers is still running. */
SPIN_INLINE _Bool spin_evict_is_due_(uint32_t mpq)
{
	if (spin_evict_is_still_(mpq, spin_mpq_at(mpq)->generation))
		return 1;
	spin_fetch_or(&spin_mpq_at(mpq)->flags, SPIN_MPQ_EVICTING);
	return 0;
}

/*
 * Ending a message takes two calls in a row, because handlers that send leave only 96 bytes of stack. The first call stops it; the second
 * frees what it holds. The first returns the MPQ; SPIN_MPQS_MAX if there was none, or if the message cannot end now.
 */
SPIN_NOINLINE int spin_evict_begin(uint32_t chosen)
{
	const uint32_t mpq = spin_chosen_mpq(chosen);

	if (spin_handlers_.delivery != SPIN_DELIVER_ME || mpq >= SPIN_MPQS_MAX || !spin_evict_stop_(spin_mpq_at(mpq), chosen) ||
	    !spin_evict_is_due_(spin_barrier_var_(mpq)))
		return SPIN_MPQS_MAX; /* the barrier keeps the mask, because the tested value may be spilled to the stack */
	return mpq;
}

/* Frees the parked packets of a message that ends. A separate function, because it has loops and its callers have little stack left. */
SPIN_NOINLINE int spin_evict_parked_(uint32_t mpq, uint32_t hpu)
{
	if (spin_handlers_.delivery == SPIN_DELIVER_ME)
		spin_park_forget_all(spin_mpq_at(mpq), hpu);
	return 0;
}

/* Emits the event of a message that was ended. Uses less stack than spin_message_event(), because handlers that send leave little. */
SPIN_NOINLINE int spin_evict_emit_event_(uint32_t mpq, uint32_t hpu)
{
	if (spin_handlers_.delivery != SPIN_DELIVER_ME)
		return 0;
	return spin_message_event_(mpq, hpu, SPIN_TELL_(SPIN_EVENT_TIMEOUT, 0), spin_mpq_at(mpq)->offset, 0);
}

/* How to end a message; 0: in a sweep. */
enum {
	SPIN_EVICT_UNTOLD = 1,   /* no event for the host */
	SPIN_EVICT_KEEP_MPQ = 2, /* the MPQ stays allocated, for the caller */
	SPIN_EVICT_FOR_ME = 4,   /* the message's use-once entry stays taken for the caller */
	SPIN_EVICT_LATE = 8,     /* it was to end before, but one of its handlers was running */
	SPIN_EVICT_YIELDS = 16,  /* another message needs its MPQ or entry */
};

/* Ends a message whose MPQ this HPU has taken: emits its event and frees what it has. `how`: SPIN_EVICT_*. */
SPIN_INLINE void spin_evict_end(uint32_t mpq, uint32_t hpu, uint32_t now, uint32_t how)
{
	struct spin_mpq *q = spin_mpq_at(mpq);
	uint32_t kind = SPIN_FLOW_NONE, was_open = q->me < SPIN_MES_MAX;

	if (!(how & SPIN_EVICT_UNTOLD)) {
		spin_evict_emit_event_(mpq, hpu);
	} else {
		spin_event_unreserve();
		spin_stats_at(hpu)->pressed++;
	}
	if (was_open)
		spin_me_release(q->me, q->offset, q->place_bytes);
	if (spin_config.unexpected)
		spin_unexpected_end(mpq, hpu, 0, 0);
	if (q->flags & SPIN_MPQ_TOOK_ME && !(how & SPIN_EVICT_FOR_ME))
		spin_me_give(q->me, SPIN_ME_OPEN);
	spin_evict_parked_(mpq, hpu);
	spin_stats_at(hpu)->evicted++;
	if (q->flags & SPIN_MPQ_REFUSED && was_open) {
		spin_tombstone_record(q, SPIN_LENGTH_UNKNOWN);
		kind = SPIN_FLOW_TOMBSTONE;
	} else if (!spin_flows_are_messages_() || (how && was_open)) {
		/* packets of it were acknowledged: its sender must not send the others in vain */
		spin_write_once(&spin_flows[q->flow & (SPIN_FLOWS - 1)].sum, was_open ? SPIN_FLOW_PRESSED : SPIN_FLOW_LOST);
		kind = SPIN_FLOW_TOMBSTONE;
	}
	if (how & SPIN_EVICT_KEEP_MPQ)
		spin_mpq_end_(mpq, kind, now);
	else
		spin_mpq_free(mpq, kind, now);
}

/*
 * Evicts a message in a sweep. Without SLMP it leaves a tombstone only if it was chosen before, while one of its handlers was running: then
 * packets may still arrive, and must not begin a message in the middle. SPIN_MPQ_EVICTING tells that nobody is ending it now.
 */
SPIN_INLINE void spin_evict(uint32_t chosen, uint32_t hpu, uint32_t now)
{
	const uint32_t mpq = spin_chosen_mpq(chosen);
	struct spin_mpq *q = spin_mpq_at(mpq);
	const _Bool is_late = spin_load32(&q->phase) == SPIN_MPQ_ENDING;

	if (is_late ? !(spin_fetch_and(&q->flags, ~(uint32_t)SPIN_MPQ_EVICTING) & SPIN_MPQ_EVICTING) : !spin_evict_stop_(q, chosen))
		return;
	if (spin_evict_is_due_(mpq))
		spin_evict_end(mpq, hpu, now, is_late * SPIN_EVICT_LATE);
}

/*
 * Marks a message as longer than its entry, so that it must be ended, and returns it as chosen; SPIN_MPQS_MAX if the MPQ has another one.
 */
SPIN_INLINE uint32_t spin_refuse_note_(uint32_t mpq, uint32_t generation)
{
	uint32_t chosen = spin_chosen(mpq);

	if ((chosen >> SPIN_CHOSEN_GENERATION_ & 0xffff) != generation)
		return SPIN_MPQS_MAX;
	spin_fetch_or(&spin_mpq_at(mpq)->flags, SPIN_MPQ_REFUSED);
	return chosen;
}

SPIN_NOINLINE int spin_refuse_end_(uint32_t mpq, uint32_t hpu, uint32_t now)
{
	if (spin_handlers_.delivery == SPIN_DELIVER_ME && mpq < SPIN_MPQS_MAX)
		spin_evict_end(mpq, hpu, now, 0);
	return 0;
}

/* Ends a message that is longer than its entry. */
SPIN_INLINE void spin_refuse(uint32_t mpq, uint32_t generation, uint32_t hpu, uint32_t now)
{
	spin_refuse_end_(spin_evict_begin(spin_refuse_note_(mpq, generation)), hpu, now);
}

#endif
