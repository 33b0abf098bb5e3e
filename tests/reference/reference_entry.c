/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The reference, a plain-C model of the message protocol (reference.h): matching entries (host memory posted for messages), events for the
 * host, and the end of messages. Called by the reference's other files.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/reference.h"

static const char *const rule_names[REFERENCE_RULES_END] = { [REFERENCE_OBEYS] = "none",
#define REFERENCE_RULE_(name, text) [REFERENCE_BREAKS_##name] = text,
							     REFERENCE_RULES(REFERENCE_RULE_)
#undef REFERENCE_RULE_
};

const char *reference_rule_name(enum reference_rule rule)
{
	return rule_names[rule];
}

int reference_matches(const struct spin_me *me, const struct spin_process *from, const struct reference_packet *p)
{
	if (((p->match_bits ^ me->match_bits) & ~me->ignore_bits) != 0)
		return 0;
	if (from->ip_version == 0)
		return 1;
	return p->key.ip_version == from->ip_version && memcmp(p->key.src_addr, from->addr, sizeof(from->addr)) == 0 &&
	       (from->port == 0 || ntohs(from->port) == p->key.src_port);
}

/* Returns the message length that the first packet announces, or SPIN_LENGTH_UNKNOWN. */
static uint32_t announced_bytes(const struct reference_packet *p)
{
	if (p->put_length != SPIN_LENGTH_UNKNOWN)
		return p->put_length > p->bytes ? p->put_length : p->bytes;
	return p->eom ? p->bytes : SPIN_LENGTH_UNKNOWN;
}

static int has_room(const struct spin_me *me, const struct reference_packet *p)
{
	uint32_t free_bytes = me->length - (uint32_t)me->used;

	if (!(me->options & SPIN_ME_MANAGE_LOCAL))
		return 1;
	if (announced_bytes(p) == SPIN_LENGTH_UNKNOWN)
		return 0;
	if (me->options & SPIN_ME_NO_TRUNCATE && announced_bytes(p) > free_bytes)
		return 0;
	return free_bytes >= me->min_free;
}

void reference_reserve(struct reference *r, unsigned index, const struct reference_packet *p)
{
	struct spin_me *me = &r->me[index];
	uint32_t left = me->length - (uint32_t)me->used;

	r->reserved_at = (uint32_t)me->used;
	r->reserved = announced_bytes(p) < left ? announced_bytes(p) : left;
	if (me->options & SPIN_ME_MANAGE_LOCAL)
		me->used += r->reserved;
}

void reference_unreserve(struct reference *r, unsigned index)
{
	struct spin_me *me = &r->me[index];

	if (me->options & SPIN_ME_MANAGE_LOCAL && me->used == r->reserved_at + r->reserved)
		me->used -= r->reserved;
}

void reference_assign_space(struct reference *r, struct reference_message *m)
{
	const struct spin_me *me = &r->me[m->me];

	m->managed = 1;
	m->offset = r->reserved_at;
	m->room = r->reserved;
	if (me->length - m->offset - m->room < me->min_free && r->breaks != REFERENCE_BREAKS_MIN_FREE)
		m->holds_me = 1;
}

/* Releases the message's space in its entry. */
static void release(struct reference *r, const struct reference_message *m)
{
	struct spin_me *me = &r->me[m->me];

	if (m->managed && me->used == m->offset + m->room && r->breaks != REFERENCE_BREAKS_PLACE_KEPT)
		me->used -= m->room;
}

static int in_overflow(const struct reference *r, const struct spin_me *me)
{
	return (me->options & SPIN_ME_OVERFLOW) != 0 && r->breaks != REFERENCE_BREAKS_OVERFLOW;
}

unsigned reference_find_me(const struct reference *r, const struct reference_packet *p)
{
	unsigned best = SPIN_MES_MAX;

	for (unsigned i = 0; i < SPIN_MES_MAX; i++) {
		const struct spin_me *me = &r->me[i];

		if (me->state != SPIN_ME_OPEN || !reference_matches(me, &r->me_from[i], p) || !has_room(me, p))
			continue;
		if (best != SPIN_MES_MAX && in_overflow(r, me) != in_overflow(r, &r->me[best])) {
			if (!in_overflow(r, me))
				best = i;
			continue;
		}
		if (best == SPIN_MES_MAX || (me->serial < r->me[best].serial) != (r->breaks == REFERENCE_BREAKS_LAST_ENTRY_FIRST))
			best = i;
	}
	return best;
}

void reference_event(struct reference *r, const struct reference_message *m, enum spin_event_type type, enum spin_handler_kind kind,
		     uint32_t flags)
{
	struct spin_event *e;

	if (r->events == REFERENCE_EVENTS_MAX)
		reference_die("too many events in one step");
	e = &r->event[r->events++];
	memset(e, 0, sizeof(*e));
	e->type = type;
	e->handler = kind;
	e->ip_version = m->key.ip_version;
	memcpy(e->src_addr, m->key.src_addr, sizeof(e->src_addr));
	e->src_port = m->key.src_port;
	e->dst_port = m->dst_port;
	e->length = m->length;
	e->message_id = m->key.message_id;
	e->me = m->me;
	if (type != SPIN_EVENT_RAN)
		e->offset = m->offset;
	e->match_bits = m->match_bits;
	e->hdr_data = m->hdr_data;
	if (m->me != SPIN_MES_MAX) {
		e->me_start = m->me_start;
		e->me_length = m->me_length;
		e->me_serial = m->me_serial;
	}
	if (type != SPIN_EVENT_MESSAGE && type != SPIN_EVENT_TIMEOUT)
		return;
	e->dropped_bytes = m->dropped_bytes;
	e->deposited_bytes = m->deposited_bytes;
	if (m->flow_control)
		flags |= SPIN_EVENT_FLOW_CONTROL;
	if (m->refused)
		flags |= SPIN_EVENT_REFUSED;
	if (m->overflow)
		flags |= SPIN_EVENT_OVERFLOW;
	if (m->error)
		flags |= SPIN_EVENT_FAILED;
	if (m->open && m->verdict == SPIN_REASON_PROCEEDED)
		flags |= SPIN_EVENT_PROCEEDED;
	if (m->open && m->verdict == SPIN_REASON_HEADER_DROPPED)
		flags |= SPIN_EVENT_DROPPED;
	e->flags = flags;
}

static void leave_tombstone(struct reference *r, const struct reference_message *m)
{
	if (r->tombstones == r->tombstones_room) {
		r->tombstones_room = r->tombstones_room ? 2 * r->tombstones_room : 64;
		r->tombstone = realloc(r->tombstone, r->tombstones_room * sizeof(*r->tombstone));
		if (!r->tombstone)
			reference_die("no memory");
	}
	r->tombstone[r->tombstones++] =
		(struct reference_tombstone){ m->key, r->now_ms, m->stride, m->length, m->sum, m->refused, m->evicted, !m->open };
}

void reference_complete(struct reference *r, struct reference_message *m)
{
	int unlinked = m->holds_me && (!m->pending || r->breaks == REFERENCE_BREAKS_PENDING_UNLINKS);
	struct spin_me *me = &r->me[m->me];

	leave_tombstone(r, m);
	r->stats.completed++;
	if (m->holds_me)
		me->state = unlinked ? SPIN_ME_FREE : SPIN_ME_OPEN; /* the host gets the events at the end of the step */
	if (m->pending)
		release(r, m);
	if (!m->pending) {
		me->messages++;
		reference_event(r, m, SPIN_EVENT_MESSAGE, 0, unlinked ? SPIN_EVENT_UNLINKED : 0);
	}
	r->stats.replay_lost += reference_forget(r, m);
}

static void evict(struct reference *r, struct reference_message *m, int report)
{
	r->stats.evicted++;
	r->stats.pressed += !report;
	if (m->me != SPIN_MES_MAX)
		release(r, m);
	if (m->holds_me && r->breaks != REFERENCE_BREAKS_EVICTION_KEEPS_ENTRY)
		r->me[m->me].state = SPIN_ME_OPEN;
	if (report)
		reference_event(r, m, SPIN_EVENT_TIMEOUT, 0, 0);
	r->stats.replay_lost += reference_forget(r, m);
}

void reference_refuse(struct reference *r, struct reference_message *m)
{
	m->refused = 1;
	if (m->open && r->breaks != REFERENCE_BREAKS_REFUSAL_FORGOTTEN)
		leave_tombstone(r, m);
	evict(r, m, 1);
}

void reference_evict(struct reference *r, struct reference_message *m, int report)
{
	m->evicted = 1;
	if (m->open ? r->breaks != REFERENCE_BREAKS_EVICTED_FORGOTTEN : r->breaks != REFERENCE_BREAKS_WAITING_FORGOTTEN)
		leave_tombstone(r, m);
	evict(r, m, report);
}

void reference_preempt(struct reference *r, struct reference_message *m)
{
	reference_evict(r, m, m->came_count >= SPIN_PROVEN_PACKETS);
}

static int in_use(const struct reference *r, unsigned me)
{
	for (unsigned i = 0; i < r->messages; i++)
		if (r->message[i]->me == me)
			return 1;
	return 0;
}

int reference_me_append(struct reference *r, const struct spin_me_opts *opts, unsigned *me)
{
	unsigned at = 0;

	if (opts->start > r->opts.host_bytes || opts->length > r->opts.host_bytes - opts->start)
		return -EINVAL;
	if (opts->min_free &&
	    (!(opts->options & SPIN_ME_MANAGE_LOCAL) || opts->min_free > (opts->length ? opts->length : r->opts.host_bytes - opts->start)))
		return -EINVAL;
	while (at < SPIN_MES_MAX && (r->me[at].state != SPIN_ME_FREE || in_use(r, at)))
		at++;
	if (at == SPIN_MES_MAX)
		return -ENOSPC;
	memset(&r->me[at], 0, sizeof(r->me[at]));
	r->me[at].state = SPIN_ME_OPEN;
	r->me[at].options = opts->options;
	r->me[at].match_bits = opts->match_bits;
	r->me[at].ignore_bits = opts->ignore_bits;
	r->me[at].start = opts->start;
	r->me[at].length = opts->length ? opts->length : (uint32_t)r->opts.host_bytes - opts->start;
	r->me[at].serial = r->me_serial++;
	r->me[at].min_free = opts->min_free;
	r->me_from[at] = r->breaks == REFERENCE_BREAKS_SOURCE ? (struct spin_process){ 0 } : opts->source;
	*me = at;
	return 0;
}

int reference_me_unlink(struct reference *r, unsigned me)
{
	if (me >= SPIN_MES_MAX || r->me[me].state == SPIN_ME_FREE)
		return -ENOENT;
	if (r->me[me].state == SPIN_ME_TAKEN)
		return -EBUSY;
	r->me[me].state = SPIN_ME_FREE;
	return 0;
}

int reference_dma(struct reference *r, struct reference_message *m, uint32_t to, const void *from, uint32_t bytes)
{
	uint64_t at = (uint64_t)m->offset + to;

	if ((m->managed ? to + (uint64_t)bytes : at + bytes) > (m->managed ? m->room : m->me_length))
		return SPIN_RC_SEGV;
	memcpy(r->host + m->me_start + at, from, bytes);
	return 0;
}

void reference_reset(struct reference *r)
{
	const struct spin_me_opts all = { .bytes = sizeof(all), .ignore_bits = ~0ull };
	unsigned me;

	while (r->messages)
		reference_forget(r, r->message[0]);
	r->tombstones = 0;
	r->events = 0;
	r->now_ms = 0;
	r->me_serial = 0;
	r->next_mpq = r->next_scan[0] = r->next_scan[1] = 0;
	memset(r->me, 0, sizeof(r->me));
	memset(r->host, 0, r->opts.host_bytes);
	if (!r->opts.no_entry)
		reference_me_append(r, &all, &me);
}

void reference_start(struct reference *r, const struct spin_message_opts *opts, const struct reference_handlers *handlers)
{
	memset(r, 0, sizeof(*r));
	r->opts = *opts;
	r->handlers = *handlers;
	if (!r->opts.host_bytes)
		r->opts.host_bytes = SPIN_HOST_BYTES;
	if (!r->opts.messages)
		r->opts.messages = SPIN_MPQS;
	if (!r->opts.parking)
		r->opts.parking = SPIN_PARKING_MAX;
	if (!r->opts.window)
		r->opts.window = SPIN_WINDOW;
	if (!r->opts.idle_ms)
		r->opts.idle_ms = handlers->idle_ms ? handlers->idle_ms : SPIN_IDLE_MS;
	if (!r->opts.age_ms)
		r->opts.age_ms = SPIN_AGE_MS;
	if (!r->opts.tombstone_ms)
		r->opts.tombstone_ms = SPIN_TOMBSTONE_MS;
	r->host = calloc(1, r->opts.host_bytes);
	r->message = calloc(r->opts.messages, sizeof(*r->message));
	r->event = calloc(REFERENCE_EVENTS_MAX, sizeof(*r->event));
	if (!r->host || !r->message || !r->event)
		reference_die("no memory");
	reference_reset(r);
}

void reference_stop(struct reference *r)
{
	while (r->messages)
		reference_forget(r, r->message[0]);
	free(r->tombstone);
	free(r->message);
	free(r->event);
	free(r->host);
	memset(r, 0, sizeof(*r));
}
