/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds or begins the message of a packet that arrives at the modelled NIC, and acknowledges the packet: steps 6 to 10 of <spin/message.h>.
 * A message in flight has an MPQ (message processing queue: its state). Also chooses which message is evicted when MPQs or matching entries
 * run out. Called by the ingress link and by her_queue.c through message_kind (callbacks of contexts that take messages).
 */
#include <string.h>

#include <spin/wire.h>

#include "hwmodel/nic/message_state.h"
#include "hwmodel/nic/slots.h"
#include "hwmodel/nic/her_queue.h"

/* --- pressure: which message is evicted for a first packet that finds no MPQ or no entry --- */

static int is_proven(const struct nic_mpq *mpq)
{
	return mpq->handled >= SPIN_PROVEN_PACKETS;
}

/* A message with packets at the HPUs cannot be evicted, and a refused one is about to end. */
static int is_evictable(const struct nic_mpq *mpq)
{
	return !mpq->refused && (mpq->phase == MPQ_WAITING || mpq->phase == MPQ_OPEN) && (!mpq->slot || !mpq->slot->in_flight);
}

/* Has the message been idle for too long, or is it too old and slow? */
static int is_overdue(const struct messages *messages, const struct nic_mpq *mpq)
{
	uint32_t age = messages->now_ms - mpq->opened_ms;

	if (messages->now_ms - mpq->last_ms > messages->limits.idle_ms >> (is_proven(mpq) ? 2 : 4))
		return 1;
	return age > messages->limits.age_ms && (uint64_t)mpq->handled * mpq->stride < (uint64_t)age * SPIN_AGE_BYTES;
}

static int same_source(const struct flow_key *a, const struct flow_key *b)
{
	return a->ip_version == b->ip_version && !memcmp(a->src_addr, b->src_addr, 8);
}

/* Has the message made no progress for as many scans as it has handled packets? `update`: counts this scan. */
static int is_stalled(struct nic_mpq *mpq, int update)
{
	uint32_t scans = mpq->handled > mpq->scan_handled ? 0 : mpq->scan_stalls + 1;

	if (scans && scans >= mpq->handled)
		return 1;
	if (update) {
		mpq->scan_handled = mpq->handled;
		mpq->scan_stalls = scans;
	}
	return 0;
}

static int pressure__mpq(struct pspin *nic, const struct flow_key *key)
{
	struct messages *messages = nic->messages;
	struct nic_mpq *chosen = NULL, *least = NULL, *first = NULL;
	int is_large = messages->limits.mpqs >= SPIN_PRESSURE_MPQS_MIN, is_mixed = 0;
	unsigned scanned = 0;

	for (unsigned i = 0; i < 2 * SPIN_SCAN_MAX && i < messages->limits.mpqs && scanned < SPIN_SCAN_MAX && !chosen; i++) {
		struct nic_mpq *mpq = &messages->mpqs[messages->scan_mpq];
		int other_source;

		messages->scan_mpq = (messages->scan_mpq + 1) % messages->limits.mpqs;
		if (!is_evictable(mpq))
			continue;
		other_source = !same_source(&mpq->flow->key, key);
		if (is_overdue(messages, mpq) || (is_large && other_source && !is_proven(mpq) && is_stalled(mpq, !scanned))) {
			chosen = mpq;
			continue;
		}
		scanned++;
		first = first ? first : mpq;
		is_mixed |= !other_source || !same_source(&mpq->flow->key, &first->flow->key);
		if (!least || mpq->handled < least->handled)
			least = mpq;
	}
	if (!chosen && is_large && first)
		messages->scan_mpq = (unsigned)(first - messages->mpqs + 1) % messages->limits.mpqs;
	if (!chosen && is_large && scanned == SPIN_SCAN_MAX && !is_mixed)
		chosen = least;
	if (!chosen)
		return 0;
	mpq__evict(nic, chosen, is_proven(chosen), 1);
	return 1;
}

static int pressure__me(struct pspin *nic, const struct flow_key *key, uint64_t match_bits)
{
	struct messages *messages = nic->messages;
	unsigned from = messages->scan_me, scanned = 0;

	for (unsigned i = 0; i < SPIN_MES_MAX && scanned < SPIN_SCAN_MAX; i++) {
		unsigned at = (from + i) % SPIN_MES_MAX;
		const struct spin_me *me = &messages->mes[at];
		struct nic_mpq *mpq = &messages->mpqs[me->holder];

		if (me->state != SPIN_ME_TAKEN || !entries__fit(me, key, match_bits))
			continue;
		scanned++;
		messages->scan_me = (at + 1) % SPIN_MES_MAX;
		if (mpq->me != at || !is_evictable(mpq) || !is_overdue(messages, mpq))
			continue;
		mpq__evict(nic, mpq, is_proven(mpq), 1);
		return 1;
	}
	return 0;
}

/* --- steps --- */

static struct flow_key key_of(const struct arrival *a)
{
	const uint8_t *ip = a->frame + a->in.ip_off, *udp = ip + a->in.ip_bytes;
	struct flow_key key = { .message_id = a->slmp.message_id, .ip_version = a->in.is_ip4 ? 4 : 6 };

	if (a->in.is_ip4)
		memcpy(key.src_addr, ip + offsetof(struct spin_ip4, src), 4);
	else
		memcpy(key.src_addr, ip + offsetof(struct spin_ip6, src), 16);
	key.src_port = (uint16_t)(udp[0] << 8 | udp[1]);
	return key;
}

/* Allocates an MPQ for a new message; NULL: NO_MPQ. */
static struct nic_mpq *alloc_mpq(struct pspin *nic, const struct flow_key *key, struct flow *old, const struct arrival *a)
{
	struct messages *messages = nic->messages;
	struct nic_mpq *mpq = mpq__alloc(nic, a);

	if (!mpq)
		return NULL;
	if (old) /* an expired tombstone */
		flows__remove(&messages->flows, old);
	mpq->flow = flows__add(&messages->flows, key, mpq, messages->now_ms, messages->limits.tombstone_ms);
	if (mpq->flow)
		return mpq;
	nic->event_log.incomplete = 1;
	mpq__free(nic, mpq);
	return NULL;
}

/* Refuses the message. If flows are messages and this is its last packet, the flow's next packet begins another message. */
static void refuse_message(struct pspin *nic, struct nic_mpq *mpq, const struct arrival *a)
{
	struct flow *flow = mpq->flow;

	mpq__refuse(nic, mpq);
	if (a->slmp.is_flow && a->slmp.flags & SPIN_SLMP_EOM && mpq->phase == MPQ_FREE)
		flows__remove(&nic->messages->flows, flow);
}

/* Steps 8 to 10 for a message that is new or waiting for its first packet. */
static enum spin_reason open_or_park(struct pspin *nic, struct nic_mpq *mpq, const struct flow_key *key, struct flow *old,
				     struct inflight *inflight)
{
	const struct arrival *a = &inflight->arrival;
	struct messages *messages = nic->messages;
	enum spin_reason reason;
	unsigned me = 0, next_mpq = messages->next_mpq;
	int is_new = !mpq, was_open = 0;

	if (!a->slmp.offset) {
		me = entries__match(messages, key, &a->slmp);
		if (me == SPIN_MES_MAX && pressure__me(nic, key, a->slmp.match_bits))
			me = entries__match(messages, key, &a->slmp);
		else if (me < SPIN_MES_MAX)
			was_open = 1;
		if (me < SPIN_MES_MAX && !was_open && messages->mes[me].options & SPIN_ME_MANAGE_LOCAL)
			return SPIN_REASON_NO_ME; /* the eviction opened it for the next message, not for this one */
		if (me == SPIN_MES_MAX)
			return SPIN_REASON_NO_ME;
		entries__reserve(messages, me, &a->slmp);
	}
	if (is_new) {
		mpq = alloc_mpq(nic, key, old, a);
		if (!mpq && !a->slmp.offset && pressure__mpq(nic, key))
			mpq = alloc_mpq(nic, key, old, a);
		if (!mpq && !a->slmp.offset)
			entries__unreserve(messages, me);
		if (!mpq)
			return SPIN_REASON_NO_MPQ;
	}
	if (!a->slmp.offset) {
		messages->stats.opened += is_new;
		mpq__begin(nic, mpq, a, me);
		mpq->last_ms = messages->now_ms;
		reason = mpq__packet(nic, mpq, inflight);
		if (reason == SPIN_REASON_BEYOND_ENTRY)
			refuse_message(nic, mpq, a);
		if (reason != SPIN_REASON_COUNT)
			return reason;
		mpq__replay(nic, mpq);
		return reason;
	}
	reason = mpq__park(nic, mpq, inflight);
	if (is_new && reason == SPIN_REASON_NO_PARKING) {
		mpq__free(nic, mpq);
		messages->next_mpq = next_mpq; /* as if the packet had never arrived */
	} else {
		messages->stats.opened += is_new;
	}
	return reason;
}

/*
 * Must the packet wait? It must if its message is new, no MPQ is free or the target has no id for it, and one will become free without
 * another packet.
 */
static int must_wait(const struct pspin *nic, const struct flow *flow)
{
	const struct messages *messages = nic->messages;

	if (!nic->slots.ending_count || (flow && flow->mpq))
		return 0;
	if (!slots__has_id(nic))
		return 1;
	for (unsigned i = 0; i < messages->limits.mpqs; i++)
		if (messages->mpqs[i].phase == MPQ_FREE)
			return 0;
	return 1;
}

/* May the packet be a duplicate of the message that left the tombstone? */
static int may_be_duplicate(const struct flow *tombstone, const struct slmp *slmp)
{
	uint32_t stride = tombstone->stride, end = slmp->offset + slmp->payload_bytes;

	if (!slmp->offset)
		return slmp->payload_bytes == stride && slmp->sum == tombstone->sum;
	if (!stride || slmp->offset % stride || slmp->payload_bytes > stride)
		return 0;
	if (slmp->flags & SPIN_SLMP_EOM)
		return end == tombstone->length;
	return slmp->payload_bytes == stride && end <= tombstone->length;
}

/* Steps 7 to 11: finds or opens the packet's message. Returns SPIN_REASON_COUNT if the packet goes to its handlers. */
static enum spin_reason match_message(struct pspin *nic, struct inflight *inflight, const struct flow_key *key, struct flow *flow)
{
	struct messages *messages = nic->messages;
	const struct arrival *a = &inflight->arrival;
	struct nic_mpq *mpq = flow ? flow->mpq : NULL;
	enum spin_reason reason;

	if (mpq && mpq->phase == MPQ_ENDING)
		return SPIN_REASON_DUPLICATE;
	if (mpq && mpq->refused)
		return SPIN_REASON_NO_MPQ; /* it ends when its handlers have ended; then the packet is refused */
	if (flow && a->slmp.is_flow && flow__is_tombstone(flow, messages->now_ms, messages->limits.tombstone_ms)) {
		reason = flow->evicted ? SPIN_REASON_NO_MPQ : SPIN_REASON_BEYOND_ENTRY;
		if (a->slmp.flags & SPIN_SLMP_EOM)
			flows__remove(&messages->flows, flow);
		return reason;
	}
	if (flow && flow__is_tombstone(flow, messages->now_ms, messages->limits.tombstone_ms)) {
		if (flow->evicted && (a->slmp.offset || flow->is_lost)) {
			inflight->again = 1;
			return SPIN_REASON_NO_MPQ;
		}
		if (flow->evicted)
			return open_or_park(nic, NULL, key, flow, inflight);
		if (flow->length == SPIN_LENGTH_UNKNOWN && (a->slmp.offset || may_be_duplicate(flow, &a->slmp)))
			return SPIN_REASON_BEYOND_ENTRY;
		if (may_be_duplicate(flow, &a->slmp))
			return SPIN_REASON_DUPLICATE;
		if (a->slmp.offset)
			return SPIN_REASON_MALFORMED;
	}
	if (mpq && mpq->phase == MPQ_OPEN) {
		reason = mpq__packet(nic, mpq, inflight);
		if (reason == SPIN_REASON_COUNT)
			mpq->last_ms = messages->now_ms;
		else if (reason == SPIN_REASON_BEYOND_WINDOW)
			mpq__flow_control(nic, mpq, a->slmp.payload_bytes);
		if (reason == SPIN_REASON_BEYOND_ENTRY)
			refuse_message(nic, mpq, a);
		else
			mpq__replay(nic, mpq);
		return reason;
	}
	reason = open_or_park(nic, mpq, key, flow, inflight);
	if (mpq && (reason == SPIN_REASON_PARKED || reason == SPIN_REASON_NO_ME))
		mpq->last_ms = messages->now_ms;
	if (mpq && (reason == SPIN_REASON_NO_ME || reason == SPIN_REASON_NO_PARKING))
		mpq__flow_control(nic, mpq, a->slmp.payload_bytes);
	return reason;
}

static int is_acknowledged(enum spin_reason reason)
{
	switch (reason) {
	case SPIN_REASON_MALFORMED:
	case SPIN_REASON_BEYOND_ENTRY:
	case SPIN_REASON_NO_ME:
	case SPIN_REASON_NO_MPQ:
	case SPIN_REASON_NO_PARKING:
	case SPIN_REASON_BEYOND_WINDOW:
		return 0;
	default:
		return 1;
	}
}

/* Step 6. Returns the bytes that the packet needs in packet memory: at most what its frame says. */
static uint32_t classify(struct pspin *nic, struct inflight *inflight)
{
	struct arrival *a = &inflight->arrival;
	uint32_t pieces = nic->meta.registration.fragmentation_bytes;

	if (!her_queue__classify(nic, inflight))
		return 0;
	if (nic->rule.has_eom)
		inflight->is_malformed = slmp__of_flow(a->frame, &a->in, &a->slmp);
	else
		inflight->is_malformed =
			slmp__parse(a->frame, &a->in, nic->messages->limits.take_put, nic->meta.registration.takes, &a->slmp);
	inflight->is_malformed |= pieces && !(a->slmp.flags & SPIN_SLMP_EOM) && a->slmp.payload_bytes % pieces;
	inflight->is_matched = a->slmp.offset != 0;
	return her_queue__align(nic, inflight, message__header_bytes(a)) + (uint32_t)sizeof(struct spin_eth) + a->in.packet_bytes +
	       (a->slmp.is_flow ? (uint32_t)sizeof(struct spin_slmp) : 0);
}

static uint32_t place(struct pspin *nic, struct inflight *inflight, uint8_t *to)
{
	(void)nic;
	return inflight->is_malformed ? 0 : slmp__strip(to, inflight->arrival.frame, &inflight->arrival.in, &inflight->arrival.slmp);
}

/* Decides whether the packet is acknowledged. Returns the bytes of the acknowledgement; 0: none, or nobody reads it. */
static size_t build_ack(struct pspin *nic, struct inflight *inflight, enum spin_reason reason)
{
	struct pspin_packet_record *record = &inflight->record;
	const struct arrival *a = &inflight->arrival;
	uint16_t more = reason == SPIN_REASON_BEYOND_ENTRY ? SPIN_SLMP_REFUSED : inflight->again ? SPIN_SLMP_AGAIN : 0;

	record->reason = reason;
	record->verdict = SPIN_VERDICT_DROP;
	if (a->slmp.is_flow)
		return 0;
	if (!more && (reason == SPIN_REASON_ACKNOWLEDGED || !is_acknowledged(reason) || !(a->slmp.flags & SPIN_SLMP_SYN)))
		return 0;
	record->verdict = SPIN_VERDICT_TX;
	record->left_ps = record->feedback_ps;
	return record__wants_frame(nic, record) ? slmp__acknowledge(nic->device->frame, a->frame, &a->in, more) : 0;
}

/* Reports a packet that no handler sees at this time. */
static void report_unhandled(struct pspin *nic, struct inflight *inflight, enum spin_reason reason)
{
	inflight->record.feedback_ps = record__now(nic);
	if (reason == SPIN_REASON_NO_MPQ)
		inflight->record.disposition = PSPIN_DISPOSITION_NO_MESSAGE;
	record__packet(nic, inflight, build_ack(nic, inflight, reason));
}

/* Assigns a packet to its message. It is handled, parked until the header handler has ended, finished here, or must wait. */
static enum decision decide(struct pspin *nic, struct inflight *inflight)
{
	const struct arrival *a = &inflight->arrival;
	enum spin_reason reason = SPIN_REASON_MALFORMED;

	if (nic->meta.registration.puts && slmp__is_acknowledgement(a->frame, &a->in)) {
		reason = SPIN_REASON_ACKNOWLEDGED;
	} else if (!inflight->is_malformed) {
		struct flow_key key = key_of(a);
		struct flow *flow = flows__find(&nic->messages->flows, &key);

		if (must_wait(nic, flow))
			return DECIDED_WAIT;
		reason = match_message(nic, inflight, &key, flow);
	}
	if (reason == SPIN_REASON_COUNT)
		return DECIDED_HANDLED;
	report_unhandled(nic, inflight, reason);
	if (reason == SPIN_REASON_PARKED) {
		inflight->is_replayed = 1;
		return DECIDED_PARKED;
	}
	her_queue__free(nic, inflight);
	return DECIDED_DONE;
}

static size_t build_final_ack(struct pspin *nic, struct inflight *inflight)
{
	return build_ack(nic, inflight, inflight->reason);
}

static void freed(struct pspin *nic, struct slot *slot)
{
	mpq__complete(nic, slot->mpq);
}

const struct nic_kind message_kind = {
	.classify = classify,
	.place = place,
	.decide = decide,
	.starts = message__starts,
	.ended = message__ended,
	.work = message__work,
	.replay = mpq__replay_one,
	.leaves = build_final_ack,
	.freed = freed,
};
