/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_PRESSURE_H
#define BPF_PRESSURE_H

/*
 * Selects a message that must end in favour of another: a message's first packet that finds no free MPQ (state of a message in flight)
 * or no open matching entry (memory that the host posts for messages) may take that of a message which makes no progress. Such a message
 * is quiet (no new packet for a part of the idle timeout) or older than its bytes so far allow; contexts with many MPQs have two more
 * conditions ("Pressure" in <spin/message.h>). Called by message_begin.h, for such packets only.
 */
#include "bpf/messages/evict.h"

SPIN_INLINE _Bool spin_is_proven_(const struct spin_mpq *q)
{
	return spin_mpq_handled(q) >= SPIN_PROVEN_PACKETS;
}

/* Returns 1 if the message must yield to another: it is quiet, or older than its bytes allow. */
SPIN_INLINE _Bool spin_yields_(const struct spin_mpq *q, uint32_t now)
{
	uint32_t age = spin_age(now, spin_read_once(&q->opened));

	if (spin_age(now, spin_read_once(&q->time)) > spin_config.idle_ticks >> (spin_is_proven_(q) ? 2 : 4))
		return 1;
	return age > spin_config.age_ticks && (uint64_t)spin_mpq_handled(q) * q->stride < (uint64_t)age * spin_config.age_bytes;
}

/* What a search for an MPQ has seen. */
struct spin_scan {
	uint64_t source;
	uint32_t count, mixed; /* mixed: of several sources, or of the packet's own source */
	uint32_t least, least_handled;
	uint32_t next; /* with SPIN_PRESSURE_MPQS_MIN MPQs or more: where the next search starts if this one finds nothing */
};

/* Returns 1 if the message makes no progress. Otherwise collects what is needed if all messages looked at are of one source. */
SPIN_INLINE _Bool spin_scan_mpq_(struct spin_scan *scan, uint32_t mpq, uint32_t chosen, uint64_t source, uint32_t ip_version)
{
	struct spin_mpq *q = spin_mpq_at(mpq);
	const struct spin_flow *flow = &spin_flows[q->flow & (SPIN_FLOWS - 1)];
	uint32_t handled = spin_mpq_handled(q);
	uint64_t from = spin_read_once(&flow->src[0]) ^ (spin_read_once(&flow->id) & 2) << 62;

	source ^= (uint64_t)(ip_version & 2) << 62;
	if (from != source && handled < SPIN_PROVEN_PACKETS) {
		uint32_t times = handled > q->scan_handled ? 0 : q->scan_stalls + 1u;

		if (times && times >= handled)
			return 1;
		if (!scan->count) {
			q->scan_handled = (uint16_t)handled;
			q->scan_stalls = (uint16_t)times;
		}
	}
	if (!scan->count) {
		scan->source = from;
		scan->next = mpq + 1;
	}
	scan->mixed |= from == source || from != scan->source;
	if (handled < scan->least_handled) {
		scan->least_handled = handled;
		scan->least = chosen;
	}
	return 0;
}

/* Chooses a message that yields its MPQ to a packet from that source (spin_chosen()). Returns SPIN_MPQS_MAX if none does. */
SPIN_NOINLINE int spin_press_mpq(uint64_t source, uint32_t ip_version, uint32_t now)
{
	struct spin_scan scan = { .least = SPIN_MPQS_MAX, .least_handled = 0xffffffff };
	uint32_t hand, found, chosen, phase, mpq;
	uint64_t round = 0;

	if (spin_handlers_.delivery != SPIN_DELIVER_ME)
		return SPIN_MPQS_MAX;
	hand = spin_read_once(&spin_pressed_next[0]);
	found = spin_verifier_forget32(SPIN_MPQS_MAX);
	/* all are taken; the phase of a few may be another one for a moment */
	for (uint32_t i = 0;
	     i < 2 * SPIN_SCAN_MAX && i < spin_config.mpqs && scan.count < SPIN_SCAN_MAX && spin_can_loop_(&round, 2 * SPIN_SCAN_MAX);
	     i = spin_verifier_forget32(i + 1)) {
		mpq = spin_verifier_forget32(hand < spin_config.mpqs ? hand : 0);
		hand = mpq + 1;
		chosen = spin_chosen(mpq);
		phase = spin_load32(&spin_mpq_at(mpq)->phase);
		if (phase != SPIN_MPQ_WAITING && phase != SPIN_MPQ_OPEN)
			continue;
		if (spin_yields_(spin_mpq_at(mpq), now) ||
		    (spin_config.mpqs >= SPIN_PRESSURE_MPQS_MIN && spin_scan_mpq_(&scan, mpq, chosen, source, ip_version))) {
			found = chosen;
			break;
		}
		scan.count = spin_verifier_forget32(scan.count + 1);
	}
	if (found == SPIN_MPQS_MAX && scan.count && spin_config.mpqs >= SPIN_PRESSURE_MPQS_MIN)
		hand = spin_verifier_forget32(scan.next);
	spin_write_once(&spin_pressed_next[0], hand);
	if (found == SPIN_MPQS_MAX && spin_config.mpqs >= SPIN_PRESSURE_MPQS_MIN && scan.count >= SPIN_SCAN_MAX && !scan.mixed)
		found = scan.least;
	return found;
}

/* The same for a message that yields its entry to one with this key and these match bits. */
SPIN_INLINE uint32_t spin_press_me_(const struct spin_key *key, uint64_t match_bits, uint32_t now)
{
	uint32_t from, found, scanned = 0;
	uint64_t round = 0;

	if (spin_handlers_.delivery != SPIN_DELIVER_ME)
		return SPIN_MPQS_MAX;
	from = spin_read_once(&spin_pressed_next[1]);
	found = spin_verifier_forget32(SPIN_MPQS_MAX);
	for (uint32_t i = 0; i < SPIN_MES_MAX && scanned < SPIN_SCAN_MAX && spin_can_loop_(&round, SPIN_MES_MAX);
	     i = spin_verifier_forget32(i + 1)) {
		uint32_t at = (from + i) & (SPIN_MES_MAX - 1), mpq, chosen;
		const struct spin_me *me = spin_me_at(at);
		const struct spin_mpq *q;

		if (spin_load32(&me->state) != SPIN_ME_TAKEN || !spin_me_fits_(me, key, match_bits))
			continue;
		/* a message in an overflow entry must be recorded as unexpected when it takes it (unexpected.h) */
		if (spin_config.unexpected && spin_read_once(&me->options) & SPIN_ME_OVERFLOW)
			continue;
		scanned = spin_verifier_forget32(scanned + 1);
		spin_write_once(&spin_pressed_next[1], at + 1);
		mpq = spin_read_once(&me->holder) & (SPIN_MPQS_MAX - 1);
		chosen = spin_chosen(mpq);
		q = spin_mpq_at(mpq);
		/* its holder may be just starting or ending */
		if (spin_load32(&q->phase) != SPIN_MPQ_OPEN || spin_read_once(&q->me) != at || !spin_yields_(q, now))
			continue;
		found = chosen;
		break;
	}
	return found;
}

/*
 * The same as a separate function. It takes the fields to compare by value: with the key's address, the caller's whole message would be
 * kept on the stack. With bounded loops it takes the address: the message is in memory anyway (spin_flow_find()), and verifiers before
 * Linux 6.9 need twice the steps for values.
 */
#ifdef SPIN_BOUNDED_MESSAGES
SPIN_NOINLINE int spin_press_me(const struct spin_key *key, uint64_t match_bits, uint32_t now)
{
	return key ? spin_press_me_(key, match_bits, now) : SPIN_MPQS_MAX;
}
#define SPIN_PRESS_ME(key, match_bits, now) spin_press_me((key), (match_bits), (now))
#else
SPIN_NOINLINE int spin_press_me(uint64_t src0, uint64_t src1, uint32_t source, uint64_t match_bits, uint32_t now)
{
	const struct spin_key key = { .id = source, .src = { src0, src1 } };

	return spin_press_me_(&key, match_bits, now);
}
#define SPIN_PRESS_ME(key, match_bits, now) spin_press_me((key)->src[0], (key)->src[1], (uint32_t)(key)->id, (match_bits), (now))
#endif

/*
 * Ends a message that accepts no more packets (spin_evict_begin()) and keeps its MPQ for the caller. Returns SPIN_MPQS_MAX if there is
 * none.
 */
SPIN_NOINLINE int spin_end_for_mpq(uint32_t mpq, uint32_t hpu, uint32_t now)
{
	if (spin_handlers_.delivery != SPIN_DELIVER_ME || mpq >= SPIN_MPQS_MAX)
		return SPIN_MPQS_MAX;
	spin_evict_end(mpq, hpu, now, SPIN_EVICT_KEEP_MPQ | (spin_is_proven_(spin_mpq_at(mpq)) ? 0 : SPIN_EVICT_UNTOLD));
	spin_write_once(&spin_mpqs_next, mpq + 1);
	return mpq;
}

/*
 * The same for its use-once entry, which stays taken for the caller, and is returned. Returns SPIN_MES_MAX if there is none. A managed
 * entry is opened again instead, for any message.
 */
SPIN_NOINLINE int spin_end_for_me(uint32_t mpq, uint32_t hpu, uint32_t now)
{
	const struct spin_mpq *q = spin_mpq_at(mpq);
	uint32_t how, me;

	if (spin_handlers_.delivery != SPIN_DELIVER_ME || mpq >= SPIN_MPQS_MAX)
		return SPIN_MES_MAX;
	me = spin_read_once(&q->me) & (SPIN_MES_MAX - 1);
	how = spin_is_proven_(q) ? SPIN_EVICT_YIELDS : SPIN_EVICT_YIELDS | SPIN_EVICT_UNTOLD;
	if (spin_read_once(&q->flags) & SPIN_MPQ_TOOK_ME && !(spin_read_once(&spin_me_at(me)->options) & SPIN_ME_MANAGE_LOCAL))
		how |= SPIN_EVICT_FOR_ME; /* before another message can take it */
	spin_evict_end(mpq, hpu, now, how);
	return how & SPIN_EVICT_FOR_ME ? me : SPIN_MES_MAX;
}

#endif
