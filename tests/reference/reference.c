/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The reference, a plain-C model of the message protocol with which engines are compared (reference.h): decides whether a packet is a
 * duplicate, begins a message, or is parked until its message's first packet has been handled, and hands parked packets on after that
 * (steps 7 to 10 and 13 of <spin/message.h>); its clock. Called by engine_reference.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/reference.h"

void reference_die(const char *reason)
{
	fprintf(stderr, "reference: %s\n", reason);
	abort();
}

static int same_key(const struct reference_key *a, const struct reference_key *b)
{
	return a->ip_version == b->ip_version && !memcmp(a->src_addr, b->src_addr, sizeof(a->src_addr)) && a->src_port == b->src_port &&
	       a->message_id == b->message_id;
}

static struct reference_message *find_message(const struct reference *r, const struct reference_key *key)
{
	for (unsigned i = 0; i < r->messages; i++)
		if (same_key(&r->message[i]->key, key))
			return r->message[i];
	return NULL;
}

/* Returns the valid tombstone of a key, or NULL. */
static const struct reference_tombstone *find_tombstone(const struct reference *r, const struct reference_key *key)
{
	uint32_t keep_ms = r->opts.tombstone_ms - (r->breaks == REFERENCE_BREAKS_TOMBSTONE);

	for (unsigned i = 0; i < r->tombstones; i++)
		if (same_key(&r->tombstone[i].key, key) && r->now_ms - r->tombstone[i].left_ms <= keep_ms)
			return &r->tombstone[i];
	return NULL;
}

static void forget_tombstones(struct reference *r, const struct reference_key *key)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < r->tombstones; i++)
		if (!same_key(&r->tombstone[i].key, key))
			r->tombstone[kept++] = r->tombstone[i];
	r->tombstones = kept;
}

/* Returns 1 if the packet can belong to the message that left the tombstone. */
static int may_belong_to(const struct reference *r, const struct reference_tombstone *t, const struct reference_packet *p)
{
	uint64_t end = (uint64_t)p->offset + p->bytes;

	if (p->offset == 0)
		return (p->bytes == t->stride && p->sum == t->sum) || r->breaks == REFERENCE_BREAKS_OTHER_FIRST;
	if (r->breaks == REFERENCE_BREAKS_OTHER_PACKET)
		return 1;
	if (t->stride == 0 || p->offset % t->stride != 0)
		return 0;
	if (p->eom)
		return p->bytes <= t->stride && end == t->length;
	return p->bytes == t->stride && end <= t->length;
}

/* Returns the message that uses this MPQ, or NULL. */
static struct reference_message *find_by_mpq(const struct reference *r, unsigned mpq)
{
	for (unsigned i = 0; i < r->messages; i++)
		if (r->message[i]->mpq == mpq)
			return r->message[i];
	return NULL;
}

/* Returns NULL if all MPQs are taken. */
static struct reference_message *new_message(struct reference *r, const struct reference_packet *p)
{
	struct reference_message *m;

	if (r->messages == r->opts.messages)
		return NULL;
	m = calloc(1, sizeof(*m));
	if (!m)
		reference_die("no memory");
	forget_tombstones(r, &p->key);
	m->key = p->key;
	m->dst_port = p->dst_port;
	m->mpq = r->next_mpq;
	while (find_by_mpq(r, m->mpq))
		m->mpq = (m->mpq + 1) % r->opts.messages;
	r->next_mpq = (m->mpq + 1) % r->opts.messages;
	m->opened_ms = r->now_ms;
	m->scan_handled = 1;
	m->me = SPIN_MES_MAX;
	m->length = SPIN_LENGTH_UNKNOWN;
	m->last_packet_ms = r->now_ms;
	r->message[r->messages++] = m;
	return m;
}

unsigned reference_forget(struct reference *r, struct reference_message *m)
{
	unsigned at = 0, parked = m->parked_count;

	for (unsigned i = 0; i < parked; i++)
		free(m->parked[i]);
	r->parked -= parked;
	while (r->message[at] != m)
		at++;
	r->messages--;
	for (; at < r->messages; at++)
		r->message[at] = r->message[at + 1];
	free(m);
	return parked;
}

static void drop_by_flow_control(struct reference *r, struct reference_message *m, const struct reference_packet *p)
{
	if (r->breaks == REFERENCE_BREAKS_FLOW_CONTROL_FORGOTTEN)
		return;
	m->flow_control = 1;
	m->dropped_bytes += p->bytes;
}

static int park(struct reference *r, struct reference_message *m, const struct reference_packet *p)
{
	struct reference_packet *copy;

	if (r->parked == r->opts.parking)
		return 0;
	copy = malloc(sizeof(*copy));
	if (!copy)
		reference_die("no memory");
	*copy = *p;
	m->parked[m->parked_count++] = copy;
	r->parked++;
	return 1;
}

static struct reference_packet *take_parked(struct reference *r, struct reference_message *m)
{
	int backwards = r->breaks == REFERENCE_BREAKS_REPLAY_BACKWARDS;
	struct reference_packet *p = m->parked[backwards ? m->parked_count - 1 : 0];

	m->parked_count--;
	for (unsigned i = 0; i < m->parked_count && !backwards; i++)
		m->parked[i] = m->parked[i + 1];
	r->parked--;
	return p;
}

/* Step 13, for a message that is still in flight. Returns the number of parked packets processed. */
static unsigned replay(struct reference *r, struct reference_message *m)
{
	unsigned limit = SPIN_REPLAY_MAX + (r->breaks == REFERENCE_BREAKS_REPLAY_MAX), count = 0;
	int ended = 0;

	while (count < limit && !ended && m->parked_count) {
		struct reference_packet *p = take_parked(r, m);
		enum spin_reason reason = reference_open_packet(r, m, p, &ended);

		if (reason == SPIN_REASON_MALFORMED || reason == SPIN_REASON_BEYOND_WINDOW || reason == SPIN_REASON_BEYOND_ENTRY)
			r->stats.replay_lost++;
		else if (reason != SPIN_REASON_DUPLICATE)
			r->stats.replayed++;
		if (reason == SPIN_REASON_BEYOND_WINDOW)
			drop_by_flow_control(r, m, p);
		free(p);
		count++;
	}
	return count;
}

/* Step 8. `m`: the waiting message, or NULL if the message is new. */
static enum spin_reason first_packet(struct reference *r, struct reference_message *m, const struct reference_packet *p)
{
	unsigned me = reference_find_me(r, p);
	enum spin_reason reason;
	int ended = 0, was_open = 0;

	if (me == SPIN_MES_MAX && reference_reclaim_me(r, p))
		me = reference_find_me(r, p);
	else if (me != SPIN_MES_MAX)
		was_open = 1;
	if (me != SPIN_MES_MAX && !was_open && r->me[me].options & SPIN_ME_MANAGE_LOCAL)
		me = SPIN_MES_MAX;
	if (me == SPIN_MES_MAX) {
		if (m) {
			drop_by_flow_control(r, m, p);
			m->last_packet_ms = r->now_ms;
		}
		return SPIN_REASON_NO_ME;
	}
	reference_reserve(r, me, p);
	if (!m) {
		m = new_message(r, p);
		if (!m && reference_reclaim_mpq(r, p))
			m = new_message(r, p);
		if (!m)
			reference_unreserve(r, me);
		if (!m)
			return SPIN_REASON_NO_MPQ;
		r->stats.opened++;
	}
	reference_run_header(r, m, p, me);
	m->last_packet_ms = r->now_ms;
	reason = reference_open_packet(r, m, p, &ended);
	if (!ended)
		replay(r, m);
	return reason;
}

/* Steps 9 and 10: a packet that arrives before the first packet of its message. */
static enum spin_reason early_packet(struct reference *r, struct reference_message *m, const struct reference_packet *p)
{
	if (m) {
		for (unsigned i = 0; i < m->parked_count; i++)
			if (m->parked[i]->offset == p->offset)
				return SPIN_REASON_DUPLICATE;
		if (park(r, m, p)) {
			m->last_packet_ms = r->now_ms;
			return SPIN_REASON_PARKED;
		}
		drop_by_flow_control(r, m, p);
		return SPIN_REASON_NO_PARKING;
	}
	if (r->parked == r->opts.parking)
		return r->messages == r->opts.messages ? SPIN_REASON_NO_MPQ : SPIN_REASON_NO_PARKING;
	m = new_message(r, p);
	if (!m)
		return SPIN_REASON_NO_MPQ;
	park(r, m, p);
	r->stats.opened++;
	return SPIN_REASON_PARKED;
}

/* Returns 1 if the packet counts as new, so that it keeps its message alive. */
static int is_new(enum spin_reason reason)
{
	return reason != SPIN_REASON_MALFORMED && reason != SPIN_REASON_DUPLICATE && reason != SPIN_REASON_BEYOND_WINDOW;
}

/* A packet of an open message: steps 11 to 13. */
static enum spin_reason later_packet(struct reference *r, struct reference_message *m, const struct reference_packet *p)
{
	int ended = 0;
	enum spin_reason reason = reference_open_packet(r, m, p, &ended);

	if (ended)
		return reason;
	if (reason == SPIN_REASON_BEYOND_WINDOW)
		drop_by_flow_control(r, m, p);
	if (is_new(reason) || (r->breaks == REFERENCE_BREAKS_DUPLICATE_RENEWS && reason == SPIN_REASON_DUPLICATE))
		m->last_packet_ms = r->now_ms;
	replay(r, m);
	return reason;
}

/* Steps 6 and 7; then the step for the state of the packet's message. */
static enum spin_reason handle_packet(struct reference *r, struct reference_packet *p, const uint8_t *udp, uint32_t bytes)
{
	const struct reference_tombstone *t;
	struct reference_message *m;

	if (!reference_parse(r, p, udp, bytes))
		return SPIN_REASON_MALFORMED;
	t = find_tombstone(r, &p->key);
	if (t && t->evicted && (p->offset != 0 || t->is_lost)) {
		p->again = r->breaks != REFERENCE_BREAKS_EVICTED_UNTOLD;
		return SPIN_REASON_NO_MPQ;
	}
	if (t && t->evicted)
		t = NULL;
	if (t && t->refused && (p->offset != 0 || may_belong_to(r, t, p)))
		return SPIN_REASON_BEYOND_ENTRY;
	if (t && may_belong_to(r, t, p))
		return SPIN_REASON_DUPLICATE;
	if (t && p->offset != 0)
		return SPIN_REASON_MALFORMED;
	m = find_message(r, &p->key);
	if (m && m->open)
		return later_packet(r, m, p);
	return p->offset == 0 ? first_packet(r, m, p) : early_packet(r, m, p);
}

static int is_acknowledged(const struct reference *r, enum spin_reason reason)
{
	switch (reason) {
	case SPIN_REASON_NO_ME:
	case SPIN_REASON_NO_MPQ:
	case SPIN_REASON_NO_PARKING:
	case SPIN_REASON_BEYOND_WINDOW:
		return r->breaks == REFERENCE_BREAKS_FLOW_CONTROL_ACKNOWLEDGED;
	case SPIN_REASON_MALFORMED:
	case SPIN_REASON_BEYOND_ENTRY: /* answered with a refusal */
		return 0;
	case SPIN_REASON_DUPLICATE:
		return r->breaks != REFERENCE_BREAKS_DUPLICATE_UNACKNOWLEDGED;
	default: /* handled or parked */
		return 1;
	}
}

void reference_packet(struct reference *r, struct reference_packet *p, const uint8_t *udp_payload, uint32_t bytes,
		      struct reference_out *out)
{
	r->events = 0;
	p->again = 0;
	out->reason = handle_packet(r, p, udp_payload, bytes);
	out->acknowledged = out->reason == SPIN_REASON_BEYOND_ENTRY || p->again || (is_acknowledged(r, out->reason) && p->syn);
	r->reasons[out->reason]++;
}

void reference_clock(struct reference *r, uint32_t now_ms)
{
	uint32_t idle_ms = r->opts.idle_ms - (r->breaks == REFERENCE_BREAKS_IDLE);

	r->events = 0;
	r->now_ms = now_ms;
	r->replayed_messages = 0;
	for (unsigned i = 0; i < r->opts.messages; i++) {
		struct reference_message *m = find_by_mpq(r, i);

		if (m && now_ms - m->last_packet_ms > idle_ms)
			reference_evict(r, m, 1);
		else if (m && m->open && replay(r, m))
			r->replayed_messages++;
	}
}
