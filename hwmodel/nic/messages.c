/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The engine's memory and clock, and a packet's way to its message: steps 6 to 10. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spin/wire.h>

#include "messages.h"
#include "outbound.h"

#define SCRATCH_LINE 64u
#define SCRATCH_END 0x80000u /* in L1: an image may keep state behind it */

static uint32_t or_default(uint32_t value, uint32_t standard)
{
	return value ? value : standard;
}

static void free_memory(struct messages *messages)
{
	free(messages->mpqs);
	free(messages->scratch_owner);
	free(messages->scratch_memory);
	messages->mpqs = NULL;
	messages->scratch_owner = NULL;
	messages->scratch_memory = NULL;
}

static int set_limits(struct pspin *nic, const struct pspin_limits *limits)
{
	const struct spin_registration *has = &nic->meta.registration;
	struct messages *messages = nic->messages;
	struct pspin_limits *to = &messages->limits;

	*to = *limits;
	to->mpqs = or_default(to->mpqs, SPIN_MPQS);
	to->parking = or_default(to->parking, SPIN_PARKING_MAX);
	to->host_bytes = or_default(to->host_bytes, SPIN_HOST_BYTES);
	to->idle_ms = or_default(to->idle_ms, or_default(has->idle_ms, SPIN_IDLE_MS));
	to->tombstone_ms = or_default(to->tombstone_ms, SPIN_TOMBSTONE_MS);
	messages->scratch_bytes = (uint32_t)(sizeof(struct hpu_scratch) + has->scratchpad_bytes + SCRATCH_LINE - 1) &
				  ~(SCRATCH_LINE - 1);
	messages->scratch_places = (SCRATCH_END - L1_SCRATCHPADS) / messages->scratch_bytes;
	messages->mpqs = calloc(to->mpqs, sizeof(*messages->mpqs));
	messages->scratch_owner = calloc(messages->scratch_places, sizeof(*messages->scratch_owner));
	messages->scratch_memory = calloc(to->mpqs, messages->scratch_bytes);
	if (!messages->mpqs || !messages->scratch_owner || !messages->scratch_memory ||
	    storage__resize_host(&nic->memory, to->host_bytes))
		return -ENOMEM;
	for (unsigned i = 0; i < to->mpqs; i++)
		messages->mpqs[i].scratch = messages->scratch_memory + (size_t)i * messages->scratch_bytes;
	entries__reset(nic);
	return 0;
}

/* All MPQs are free afterwards; what they had parked counts as lost only if they are evicted. */
static void forget(struct pspin *nic)
{
	struct messages *messages = nic->messages;
	uint64_t lost = messages->stats.replay_lost;

	for (unsigned i = 0; messages->mpqs && i < messages->limits.mpqs; i++)
		if (messages->mpqs[i].phase != MPQ_FREE)
			mpq__free(nic, &messages->mpqs[i]);
	messages->stats.replay_lost = lost;
	flows__clear(&messages->flows);
	messages->now_ms = 0;
}

int nic_messages__open(struct pspin *nic)
{
	const struct pspin_limits defaults = {0};

	if (nic->meta.registration.scratchpad_bytes > SPIN_SCRATCHPAD_MAX)
		return -EINVAL;
	nic->messages = calloc(1, sizeof(*nic->messages));
	return nic->messages ? set_limits(nic, &defaults) : -ENOMEM;
}

void nic_messages__free(struct pspin *nic)
{
	if (!nic->messages)
		return;
	forget(nic);
	free_memory(nic->messages);
	free(nic->messages);
}

int pspin__limit(struct pspin *nic, const struct pspin_limits *limits)
{
	if (!nic->messages)
		return -EOPNOTSUPP;
	if (limits->mpqs > SPIN_MPQS_MAX || limits->parking > SPIN_PARKING_MAX ||
	    limits->host_bytes > SPIN_HOST_BYTES_MAX)
		return -EINVAL;
	forget(nic);
	free_memory(nic->messages);
	return set_limits(nic, limits);
}

int pspin__reset(struct pspin *nic)
{
	if (!nic->messages)
		return -EOPNOTSUPP;
	forget(nic);
	memset(nic->memory.host, 0, nic->memory.host_used);
	nic->memory.host_used = 0;
	entries__reset(nic);
	return 0;
}

int pspin__clock(struct pspin *nic, uint32_t now_ms, struct pspin_result *out)
{
	memset(out, 0, sizeof(*out));
	if (!nic->messages)
		return -EOPNOTSUPP;
	if (now_ms < nic->messages->now_ms)
		return -EINVAL;
	journal__begin(&nic->journal);
	nic->messages->now_ms = now_ms;
	mpq__sweep(nic);
	return journal__end(&nic->journal, out);
}

int pspin__message_stats(const struct pspin *nic, struct spin_message_stats *out)
{
	if (!nic->messages)
		return -EOPNOTSUPP;
	*out = nic->messages->stats;
	return 0;
}

size_t pspin__host_bytes(const struct pspin *nic)
{
	return nic->messages ? nic->memory.host_bytes : 0;
}

int pspin__host_read(const struct pspin *nic, size_t offset, void *to, size_t bytes)
{
	if (!nic->messages)
		return -EOPNOTSUPP;
	if (offset > nic->memory.host_bytes || bytes > nic->memory.host_bytes - offset)
		return -ERANGE;
	memcpy(to, nic->memory.host + offset, bytes);
	return 0;
}

int pspin__host_write(struct pspin *nic, size_t offset, const void *from, size_t bytes)
{
	uint8_t *at = nic->messages ? storage__host(&nic->memory, offset, bytes) : NULL;

	if (!at)
		return nic->messages ? -ERANGE : -EOPNOTSUPP;
	memcpy(at, from, bytes);
	return 0;
}

static struct flow_key key_of(const struct arrival *a)
{
	const uint8_t *ip = a->frame + a->in.ip_off, *udp = ip + a->in.ip_bytes;
	struct flow_key key = {.message_id = a->slmp.message_id, .ip_version = a->in.is_ip4 ? 4 : 6};

	if (a->in.is_ip4)
		memcpy(key.src_addr, ip + offsetof(struct spin_ip4, src), 4);
	else
		memcpy(key.src_addr, ip + offsetof(struct spin_ip6, src), 16);
	key.src_port = (uint16_t)(udp[0] << 8 | udp[1]);
	return key;
}

/* An MPQ for a message that is new; NULL: NO_MPQ. */
static struct mpq *take(struct pspin *nic, const struct flow_key *key, struct flow *old, const struct arrival *a)
{
	struct messages *messages = nic->messages;
	struct mpq *mpq = mpq__take(nic, a);

	if (!mpq)
		return NULL;
	if (old) /* a tombstone that counts no more */
		flows__remove(&messages->flows, old);
	mpq->flow = flows__add(&messages->flows, key, mpq, messages->now_ms, messages->limits.tombstone_ms);
	if (mpq->flow)
		return mpq;
	nic->journal.incomplete = 1;
	mpq__free(nic, mpq);
	return NULL;
}

/* Steps 8 to 10 for a message that is new or waiting. */
static enum spin_reason not_open(struct pspin *nic, struct mpq *mpq, const struct flow_key *key, struct flow *old,
				 const struct arrival *a)
{
	struct messages *messages = nic->messages;
	enum spin_reason reason;
	int is_new = !mpq;
	unsigned me = 0;

	if (!a->slmp.offset) {
		me = entries__match(messages, a->slmp.match_bits);
		if (me == SPIN_MES_MAX)
			return SPIN_REASON_NO_ME;
	}
	if (is_new) {
		mpq = take(nic, key, old, a);
		if (!mpq)
			return SPIN_REASON_NO_MPQ;
	}
	if (!a->slmp.offset) {
		messages->stats.opened += is_new;
		mpq__begin(nic, mpq, a, me);
		reason = mpq__packet(nic, mpq, a);
		mpq__replay(nic, mpq);
		return reason;
	}
	reason = parking__add(nic, mpq, a);
	if (is_new && reason == SPIN_REASON_NO_PARKING)
		mpq__free(nic, mpq);
	else
		messages->stats.opened += is_new;
	return reason;
}

static enum spin_reason steps(struct pspin *nic, const struct arrival *a)
{
	struct messages *messages = nic->messages;
	struct flow_key key = key_of(a);
	struct flow *flow = flows__find(&messages->flows, &key);
	struct mpq *mpq = flow ? flow->mpq : NULL;
	enum spin_reason reason;

	if (flow && flow__is_tombstone(flow, messages->now_ms, messages->limits.tombstone_ms))
		return SPIN_REASON_DUPLICATE;
	if (mpq && mpq->phase == MPQ_OPEN) {
		uint32_t came_ms = mpq->last_ms;

		mpq->last_ms = messages->now_ms;
		reason = mpq__packet(nic, mpq, a);
		if (reason == SPIN_REASON_MALFORMED)
			mpq->last_ms = came_ms;
		else if (reason == SPIN_REASON_BEYOND_WINDOW)
			mpq__flow_control(nic, mpq, a->slmp.payload_bytes);
		mpq__replay(nic, mpq);
		return reason;
	}
	if (mpq)
		mpq->last_ms = messages->now_ms;
	reason = not_open(nic, mpq, &key, flow, a);
	if (mpq && (reason == SPIN_REASON_NO_ME || reason == SPIN_REASON_NO_PARKING))
		mpq__flow_control(nic, mpq, a->slmp.payload_bytes);
	return reason;
}

static int is_acknowledged(enum spin_reason reason)
{
	switch (reason) {
	case SPIN_REASON_MALFORMED:
	case SPIN_REASON_NO_ME:
	case SPIN_REASON_NO_MPQ:
	case SPIN_REASON_NO_PARKING:
	case SPIN_REASON_BEYOND_WINDOW:
		return 0;
	default:
		return 1;
	}
}

void nic_messages__packet(struct pspin *nic, const uint8_t *frame, size_t frame_bytes, const struct inbound *in,
		      struct pspin_result *out)
{
	struct arrival a = {.frame = frame, .frame_bytes = frame_bytes, .in = *in};

	out->reason = slmp__parse(frame, in, nic->messages->limits.take_put, &a.slmp) ? SPIN_REASON_MALFORMED
										       : steps(nic, &a);
	out->verdict = SPIN_VERDICT_DROP;
	if (!is_acknowledged(out->reason) || !(a.slmp.flags & SPIN_SLMP_SYN))
		return;
	out->verdict = SPIN_VERDICT_TX;
	out->frame_bytes = slmp__acknowledge(nic->frame, frame, in);
	out->frame = nic->frame;
}
