/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The MPQs of the modelled NIC (message processing queues, the state of messages in flight): their flows (keys), tombstones (keys of
 * messages that have ended, to recognise duplicates), parked packets (which overtook their message's first), admission of packets, and
 * completion of messages. Called by arrival.c for each packet, and by messages.c for timeouts. Invariant: an MPQ that is not free has a
 * flow.
 */
#include <stdlib.h>
#include <string.h>

#include "hwmodel/nic/memory.h"
#include "hwmodel/nic/message_state.h"
#include "hwmodel/nic/her_queue.h"

/* --- flows --- */

static unsigned hash_of(const struct flow_key *key)
{
	const uint32_t *words = (const uint32_t *)key;
	uint32_t hash = 0;

	for (unsigned i = 0; i < sizeof(*key) / sizeof(*words); i++)
		hash = (hash ^ words[i]) * 2654435761u;
	return (hash >> 16) % FLOW_LISTS;
}

struct flow *flows__find(const struct flows *flows, const struct flow_key *key)
{
	struct flow *flow = flows->list[hash_of(key)];

	while (flow && memcmp(&flow->key, key, sizeof(*key)))
		flow = flow->next;
	return flow;
}

int flow__is_tombstone(const struct flow *flow, uint32_t now_ms, uint32_t tombstone_ms)
{
	return !flow->mpq && now_ms - flow->left_ms <= tombstone_ms;
}

struct flow *flows__add(struct flows *flows, const struct flow_key *key, struct nic_mpq *mpq, uint32_t now_ms, uint32_t tombstone_ms)
{
	struct flow **at = &flows->list[hash_of(key)], *flow;

	while ((flow = *at)) {
		if (!flow->mpq && !flow__is_tombstone(flow, now_ms, tombstone_ms)) {
			*at = flow->next;
			free(flow);
		} else {
			at = &flow->next;
		}
	}
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return NULL;
	flow->key = *key;
	flow->mpq = mpq;
	*at = flow;
	return flow;
}

void flows__hide(struct flows *flows, struct flow *flow)
{
	struct flow **at = &flows->list[hash_of(&flow->key)];

	while (*at != flow)
		at = &(*at)->next;
	*at = flow->next;
	flow->is_hidden = 1;
}

void flows__remove(struct flows *flows, struct flow *flow)
{
	if (!flow->is_hidden)
		flows__hide(flows, flow);
	free(flow);
}

void flows__clear(struct flows *flows)
{
	for (unsigned i = 0; i < FLOW_LISTS; i++) {
		for (struct flow *flow = flows->list[i], *next; flow; flow = next) {
			next = flow->next;
			free(flow);
		}
		flows->list[i] = NULL;
	}
}

/* --- parked packets: they arrived before the first packet of their message --- */

enum spin_reason mpq__park(struct pspin *nic, struct nic_mpq *mpq, struct inflight *inflight)
{
	struct messages *messages = nic->messages;

	for (const struct inflight *parked = mpq->parked.first; parked; parked = parked->next)
		if (parked->arrival.slmp.offset == inflight->arrival.slmp.offset)
			return SPIN_REASON_DUPLICATE;
	if (messages->parked_count == messages->limits.parking)
		return SPIN_REASON_NO_PARKING;
	inflight_queue__add(&mpq->parked, inflight);
	messages->parked_count++;
	return SPIN_REASON_PARKED;
}

static struct inflight *parking__take(struct pspin *nic, struct nic_mpq *mpq)
{
	struct inflight *inflight = inflight_queue__take(&mpq->parked);

	if (inflight)
		nic->messages->parked_count--;
	return inflight;
}

/* --- MPQs --- */

struct nic_mpq *mpq__alloc(struct pspin *nic, const struct arrival *a)
{
	struct messages *messages = nic->messages;
	const uint8_t *udp = a->frame + a->in.ip_off + a->in.ip_bytes;

	for (unsigned n = 0; n < messages->limits.mpqs; n++) {
		unsigned i = (messages->next_mpq + n) % messages->limits.mpqs;
		struct nic_mpq *mpq = &messages->mpqs[i];

		if (messages->taken[i / 64] >> (i % 64) & 1)
			continue;
		messages->next_mpq = (i + 1) % messages->limits.mpqs;
		memset(mpq->window, 0, messages->window_bits / 8);
		*mpq = (struct nic_mpq){ .window = mpq->window };
		mpq->phase = MPQ_WAITING;
		mpq->me = SPIN_MES_MAX;
		mpq->length = SPIN_LENGTH_UNKNOWN;
		mpq->dst_port = (uint16_t)(udp[2] << 8 | udp[3]);
		mpq->opened_ms = mpq->last_ms = messages->now_ms;
		mpq->scan_handled = 1;
		messages->taken[i / 64] |= 1ull << (i % 64);
		return mpq;
	}
	return NULL;
}

void mpq__free(struct pspin *nic, struct nic_mpq *mpq)
{
	struct messages *messages = nic->messages;
	unsigned i = (unsigned)(mpq - messages->mpqs);
	struct inflight *parked;

	while ((parked = parking__take(nic, mpq))) {
		messages->stats.replay_lost++;
		her_queue__free(nic, parked);
	}
	if (mpq->flow && mpq->flow->mpq)
		flows__remove(&messages->flows, mpq->flow);
	if (mpq->slot)
		slot__free(nic, mpq->slot);
	mpq->slot = NULL;
	if (messages->replaying == mpq)
		messages->replaying = NULL;
	mpq->phase = MPQ_FREE;
	messages->taken[i / 64] &= ~(1ull << (i % 64));
}

void mpq__begin(struct pspin *nic, struct nic_mpq *mpq, const struct arrival *first, unsigned me)
{
	struct spin_me *entry = &nic->messages->mes[me];
	const uint32_t may_read = !!(entry->options & SPIN_ME_OP_GET);
	const int may_answer = may_read || !(first->slmp.atomic & SPIN_ATOMIC_FETCH);
	uint32_t detail = first->slmp.type == SPIN_TYPE_GET ? may_read : may_answer ? first->slmp.atomic : 0;
	struct hpu_scratch *scratch;

	mpq->slot = slots__alloc(nic); /* never NULL: there are as many slots as messages */
	mpq->slot->mpq = mpq;
	mpq->phase = MPQ_OPEN;
	mpq->stride = first->slmp.payload_bytes;
	mpq->sum = first->slmp.sum;
	mpq->me = me;
	mpq->match_bits = first->slmp.match_bits;
	mpq->hdr_data = first->slmp.hdr_data;
	mpq->type = first->slmp.type;
	entries__assign(nic->messages, mpq, &first->slmp);
	if (first->slmp.flags & SPIN_SLMP_EOM)
		mpq->length = first->slmp.payload_bytes;
	scratch = scratchpad__of(nic, mpq->slot);
	scratch->length = first->slmp.length;
	scratch->match_bits = mpq->match_bits;
	scratch->hdr_data = mpq->hdr_data;
	scratch->offset = mpq->offset;
	scratch->dropped_bytes = mpq->dropped_bytes;
	scratch->flow_control = (uint32_t)mpq->flow_control;
	if (nic->meta.registration.takes)
		scratch->flow_control |= mpq->type << HPU_SCRATCH_TYPE | detail << HPU_SCRATCH_DETAIL;
	entry_memory__describe(nic, me, scratch);
	message__describe(nic, mpq, first);
	message__install(nic, mpq, entry->options);
}

void mpq__flow_control(struct pspin *nic, struct nic_mpq *mpq, uint32_t payload_bytes)
{
	struct hpu_scratch *scratch;

	mpq->flow_control = 1;
	mpq->dropped_bytes += payload_bytes;
	if (mpq->phase != MPQ_OPEN)
		return;
	scratch = scratchpad__of(nic, mpq->slot);
	scratch->dropped_bytes += payload_bytes;
	scratch->flow_control |= HPU_SCRATCH_FLOW_CONTROL;
}

static int has_arrived(const struct messages *messages, const struct nic_mpq *mpq, uint32_t i)
{
	return i < mpq->lowest || (mpq->window[i % messages->window_bits / 32] >> (i % 32) & 1);
}

/* The tests of step 11. SUCCESS: the packet is to be handled, as packet *number. */
static enum spin_reason admit(const struct messages *messages, const struct nic_mpq *mpq, const struct slmp *slmp, uint32_t *number)
{
	int last = slmp->flags & SPIN_SLMP_EOM;
	uint32_t i = 0, end = slmp->offset + slmp->payload_bytes;

	if (!slmp->offset && slmp->length != SPIN_LENGTH_UNKNOWN && slmp->length > end)
		end = slmp->length;
	if (slmp->type == SPIN_TYPE_GET)
		end = slmp->length; /* the length to be read; its own payload is not stored */
	if (slmp->offset) {
		if (!mpq->stride || slmp->offset % mpq->stride)
			return SPIN_REASON_MALFORMED;
		i = slmp->offset / mpq->stride;
	}
	*number = i;
	if (slmp->payload_bytes > mpq->stride || (!last && slmp->payload_bytes != mpq->stride))
		return SPIN_REASON_MALFORMED;
	if (mpq->total && (i >= mpq->total || (last && i != mpq->total - 1)))
		return SPIN_REASON_MALFORMED;
	if (last && i + 1 < mpq->end)
		return SPIN_REASON_MALFORMED;
	if (messages->mes[mpq->me].options & SPIN_ME_NO_TRUNCATE && end > mpq->place_bytes)
		return SPIN_REASON_BEYOND_ENTRY;
	if (i <= mpq->lowest + messages->limits.window)
		return has_arrived(messages, mpq, i) ? SPIN_REASON_DUPLICATE : SPIN_REASON_SUCCESS;
	return SPIN_REASON_BEYOND_WINDOW;
}

static void mark_arrived(const struct messages *messages, struct nic_mpq *mpq, const struct slmp *slmp, uint32_t i)
{
	mpq->window[i % messages->window_bits / 32] |= 1u << (i % 32);
	mpq->handled++;
	if (mpq->end < i + 1)
		mpq->end = i + 1;
	if (slmp->flags & SPIN_SLMP_EOM) {
		mpq->total = i + 1;
		mpq->length = slmp->offset + slmp->payload_bytes;
	}
	while (has_arrived(messages, mpq, mpq->lowest)) {
		mpq->window[mpq->lowest % messages->window_bits / 32] &= ~(1u << (mpq->lowest % 32));
		mpq->lowest++;
	}
}

void mpq__complete(struct pspin *nic, struct nic_mpq *mpq)
{
	struct messages *messages = nic->messages;
	struct spin_me *entry = &messages->mes[mpq->me];
	uint32_t flags = 0;

	if (mpq->pending) {
		entries__release(messages, mpq);
	} else if (mpq->holds_me) {
		entry->state = SPIN_ME_UNREAD;
		flags = SPIN_EVENT_UNLINKED;
	}
	messages->stats.completed++;
	if (!mpq->pending) {
		entry->messages++;
		message__report(nic, mpq, SPIN_EVENT_MESSAGE, 0, mpq->offset, flags);
	}
	if (!mpq->flow->is_hidden) {
		mpq->flow->mpq = NULL;
		mpq->flow->left_ms = messages->now_ms;
		mpq->flow->stride = mpq->stride;
		mpq->flow->length = mpq->length;
		mpq->flow->sum = mpq->sum;
	}
	mpq__free(nic, mpq);
}

#define PACKET_NUMBER_MAX 0x7fffffu /* largest number of a packet without SLMP, as in the kernel's runtime */

/* Numbers a packet without SLMP as the next one of its message. */
static enum spin_reason number_packet(struct pspin *nic, struct nic_mpq *mpq, struct inflight *inflight)
{
	struct slmp *slmp = &inflight->arrival.slmp;

	if (mpq->end == PACKET_NUMBER_MAX || slmp->payload_bytes > UINT32_MAX - mpq->next_offset)
		return SPIN_REASON_MALFORMED;
	slmp__number(slmp, nic->memory->l2_packet + inflight__offset(inflight), &inflight->arrival.in, mpq->next_offset);
	return SPIN_REASON_SUCCESS;
}

/* The remaining tests of step 11 for such a packet. */
static enum spin_reason admit_next(const struct messages *messages, const struct nic_mpq *mpq, const struct slmp *slmp, uint32_t *number)
{
	uint32_t end = slmp->offset + slmp->payload_bytes;

	*number = mpq->end;
	return messages->mes[mpq->me].options & SPIN_ME_NO_TRUNCATE && end > mpq->place_bytes ? SPIN_REASON_BEYOND_ENTRY
											      : SPIN_REASON_SUCCESS;
}

enum spin_reason mpq__packet(struct pspin *nic, struct nic_mpq *mpq, struct inflight *inflight)
{
	const struct slmp *slmp = &inflight->arrival.slmp;
	enum spin_reason reason = SPIN_REASON_SUCCESS;
	uint32_t i;

	if (slmp->is_flow)
		reason = number_packet(nic, mpq, inflight);
	if (reason == SPIN_REASON_SUCCESS)
		reason = slmp->is_flow ? admit_next(nic->messages, mpq, slmp, &i) : admit(nic->messages, mpq, slmp, &i);
	if (reason != SPIN_REASON_SUCCESS)
		return reason;
	mark_arrived(nic->messages, mpq, slmp, i);
	mpq->next_offset = slmp->offset + slmp->payload_bytes;
	if (mpq->total && mpq->handled == mpq->total)
		mpq->phase = MPQ_ENDING;
	if (slmp->is_flow && mpq->phase == MPQ_ENDING)
		flows__hide(&nic->messages->flows, mpq->flow); /* the flow's next packet belongs to another message */
	message__run(nic, mpq, inflight, mpq->phase == MPQ_ENDING);
	return SPIN_REASON_COUNT;
}

void mpq__replay(struct pspin *nic, struct nic_mpq *mpq)
{
	nic->messages->replaying = mpq;
	nic->messages->replays_left = SPIN_REPLAY_MAX;
}

int mpq__replay_one(struct pspin *nic)
{
	struct messages *messages = nic->messages;
	struct nic_mpq *mpq = messages->replaying;
	struct inflight *parked = NULL;
	enum spin_reason reason;

	if (!mpq)
		return 0;
	if (mpq->phase == MPQ_OPEN && !mpq->refused && messages->replays_left--)
		parked = parking__take(nic, mpq);
	if (!parked) {
		messages->replaying = NULL;
		return 0;
	}
	reason = mpq__packet(nic, mpq, parked);
	if (reason == SPIN_REASON_MALFORMED || reason == SPIN_REASON_BEYOND_WINDOW || reason == SPIN_REASON_BEYOND_ENTRY)
		messages->stats.replay_lost++;
	else if (reason != SPIN_REASON_DUPLICATE)
		messages->stats.replayed++;
	if (reason == SPIN_REASON_BEYOND_WINDOW)
		mpq__flow_control(nic, mpq, parked->arrival.slmp.payload_bytes);
	if (reason == SPIN_REASON_BEYOND_ENTRY)
		mpq__refuse(nic, mpq);
	if (reason != SPIN_REASON_COUNT)
		her_queue__free(nic, parked);
	return 1;
}

void mpq__abandon(struct pspin *nic, struct nic_mpq *mpq)
{
	if (mpq->slot)
		soc__forget(&nic->device->soc, mpq->slot->id);
	mpq__free(nic, mpq);
}

/* Ends a message before it is complete. keeps_tombstone: its flow becomes a tombstone. */
static void end_early(struct pspin *nic, struct nic_mpq *mpq, int report, int keeps_tombstone)
{
	struct messages *messages = nic->messages;

	entries__release(messages, mpq);
	messages->stats.evicted++;
	messages->stats.pressed += !report;
	if (report)
		message__report(nic, mpq, SPIN_EVENT_TIMEOUT, 0, mpq->offset, 0);
	if (keeps_tombstone)
		mpq->flow->mpq = NULL;
	mpq__abandon(nic, mpq);
}

void mpq__evict(struct pspin *nic, struct nic_mpq *mpq, int report, int keeps_tombstone)
{
	struct flow *flow = mpq->flow;

	if (keeps_tombstone) {
		flow->left_ms = nic->messages->now_ms;
		flow->evicted = 1;
		flow->is_lost = mpq->phase != MPQ_OPEN;
	}
	end_early(nic, mpq, report, keeps_tombstone);
}

void mpq__refuse(struct pspin *nic, struct nic_mpq *mpq)
{
	struct messages *messages = nic->messages;
	struct flow *flow = mpq->flow;

	mpq->refused = 1;
	if (mpq->slot && mpq->slot->in_flight)
		return; /* handlers have packets of it: mpq__expire() ends it */
	if (mpq->phase == MPQ_OPEN) {
		flow->left_ms = messages->now_ms;
		flow->stride = mpq->stride;
		flow->length = SPIN_LENGTH_UNKNOWN;
		flow->sum = mpq->sum;
	}
	end_early(nic, mpq, 1, mpq->phase == MPQ_OPEN);
}

void mpq__expire(struct pspin *nic)
{
	struct messages *messages = nic->messages;

	for (unsigned i = 0; i < messages->limits.mpqs; i++) {
		struct nic_mpq *mpq = &messages->mpqs[i];

		if (mpq->phase == MPQ_OPEN && mpq->refused) {
			mpq__refuse(nic, mpq);
		} else if (mpq->phase != MPQ_FREE && messages->now_ms - mpq->last_ms > messages->limits.idle_ms) {
			mpq__evict(nic, mpq, 1, !nic->rule.has_eom);
		} else if (mpq->phase == MPQ_OPEN) {
			mpq__replay(nic, mpq);
			her_queue__wake(nic);
			soc__run(&nic->device->soc, UINT64_MAX);
		}
	}
}
