/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A packet's way to its message: steps 6 to 10, and its acknowledgement. */
#include <string.h>

#include <spin/wire.h>

#include "messages.h"

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

/* Step 6. */
static int malformed(const struct pspin *nic, struct arrival *a)
{
	uint32_t pieces = nic->meta.registration.fragmentation_bytes;

	return slmp__parse(a->frame, &a->in, nic->messages->limits.take_put, &a->slmp) ||
	       (pieces && a->slmp.payload_bytes % pieces);
}

void nic_messages__packet(struct pspin *nic, const uint8_t *frame, size_t frame_bytes, const struct inbound *in,
		      struct pspin_result *out)
{
	struct arrival a = {.frame = frame, .frame_bytes = frame_bytes, .in = *in};

	out->verdict = SPIN_VERDICT_DROP;
	out->reason = SPIN_REASON_ACKNOWLEDGED;
	if (nic->meta.registration.puts && slmp__is_acknowledgement(frame, in))
		return;
	out->reason = malformed(nic, &a) ? SPIN_REASON_MALFORMED : steps(nic, &a);
	if (!is_acknowledged(out->reason) || !(a.slmp.flags & SPIN_SLMP_SYN))
		return;
	out->verdict = SPIN_VERDICT_TX;
	out->frame_bytes = slmp__acknowledge(nic->frame, frame, in);
	out->frame = nic->frame;
}
