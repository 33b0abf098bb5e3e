/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Matching entries (sPIN B.1) of the modelled NIC: the host posts them, and each maps messages to a part of host memory. Called by
 * arrival.c and mpq.c, and by the host through pspin__me_append() and __me_unlink(). Invariant: an entry's index is not reused while a
 * message is in the entry.
 */
#include <errno.h>
#include <string.h>

#include "hwmodel/nic/memory.h"
#include "hwmodel/nic/message_state.h"

static int is_from(const struct spin_me *me, const struct flow_key *key)
{
	uint16_t port = (uint16_t)(key->src_port << 8 | key->src_port >> 8);

	if (((key->ip_version | (uint32_t)port << 16) ^ me->source) & me->source_mask)
		return 0;
	return !(me->source_mask & 255) || !memcmp(me->src, key->src_addr, sizeof(me->src));
}

int entries__fit(const struct spin_me *me, const struct flow_key *key, uint64_t match_bits)
{
	return !((match_bits ^ me->match_bits) & ~me->ignore_bits) && is_from(me, key);
}

static uint32_t free_bytes(const struct spin_me *me)
{
	return me->used < me->length ? me->length - (uint32_t)me->used : 0;
}

/* Returns the length that a message's first packet announces, or requests. */
static uint32_t announced_bytes(const struct slmp *first)
{
	if (first->type == SPIN_TYPE_GET || first->length == SPIN_LENGTH_UNKNOWN || first->length > first->payload_bytes)
		return first->length;
	return first->payload_bytes;
}

/* An entry that does not manage its offset has room for a message of any length. */
static int has_room(const struct spin_me *me, const struct slmp *first)
{
	if (!(me->options & SPIN_ME_MANAGE_LOCAL))
		return 1;
	if (announced_bytes(first) == SPIN_LENGTH_UNKNOWN || free_bytes(me) < me->min_free)
		return 0;
	return !(me->options & SPIN_ME_NO_TRUNCATE) || announced_bytes(first) <= free_bytes(me);
}

void entries__reserve(struct messages *messages, unsigned index, const struct slmp *first)
{
	struct spin_me *me = &messages->mes[index];
	uint32_t bytes = announced_bytes(first) < free_bytes(me) ? announced_bytes(first) : free_bytes(me);

	if (!(me->options & SPIN_ME_MANAGE_LOCAL))
		return;
	messages->reserved = (struct spin_segment){ (uint32_t)me->used, bytes };
	me->used += bytes;
}

void entries__unreserve(struct messages *messages, unsigned index)
{
	struct spin_me *me = &messages->mes[index];
	const struct spin_segment *reserved = &messages->reserved;

	if (me->options & SPIN_ME_MANAGE_LOCAL && me->used == (uint64_t)reserved->start + reserved->length)
		me->used -= reserved->length;
}

void entries__assign(struct messages *messages, struct nic_mpq *mpq, const struct slmp *first)
{
	struct spin_me *me = &messages->mes[mpq->me];
	uint32_t skip = first->me_offset < me->length ? (uint32_t)first->me_offset : me->length;
	int is_last = me->options & SPIN_ME_USE_ONCE;

	mpq->overflow = !!(me->options & SPIN_ME_OVERFLOW);
	mpq->offset = first->me_offset > UINT32_MAX ? UINT32_MAX : (uint32_t)first->me_offset;
	mpq->place_bytes = me->length - skip;
	if (me->options & SPIN_ME_MANAGE_LOCAL) {
		mpq->offset = skip = messages->reserved.start;
		mpq->place_bytes = messages->reserved.length;
		is_last = is_last || me->length - skip - mpq->place_bytes < me->min_free;
	}
	mpq->place = me->start + skip;
	if (!is_last)
		return;
	me->state = SPIN_ME_TAKEN;
	me->holder = (uint32_t)(mpq - messages->mpqs);
	mpq->holds_me = 1;
}

void entries__release(struct messages *messages, const struct nic_mpq *mpq)
{
	struct spin_me *me = &messages->mes[mpq->me % SPIN_MES_MAX];

	if (mpq->me >= SPIN_MES_MAX)
		return;
	if (me->options & SPIN_ME_MANAGE_LOCAL && me->used == (uint64_t)mpq->offset + mpq->place_bytes)
		me->used -= mpq->place_bytes;
	if (mpq->holds_me)
		me->state = SPIN_ME_OPEN;
}

/* Entries of the overflow list are searched after all others. */
static int is_before(const struct spin_me *a, const struct spin_me *b)
{
	uint32_t list = a->options & SPIN_ME_OVERFLOW, other = b->options & SPIN_ME_OVERFLOW;

	return list == other ? a->serial < b->serial : list < other;
}

unsigned entries__match(const struct messages *messages, const struct flow_key *key, const struct slmp *first)
{
	unsigned found = SPIN_MES_MAX;

	for (unsigned i = 0; i < SPIN_MES_MAX; i++) {
		const struct spin_me *me = &messages->mes[i];

		if (me->state == SPIN_ME_OPEN && entries__fit(me, key, first->match_bits) && has_room(me, first) &&
		    (found == SPIN_MES_MAX || is_before(me, &messages->mes[found])))
			found = i;
	}
	return found;
}

/* Also true for an unlinked entry while a message is in it. */
static int in_use(const struct messages *messages, unsigned me)
{
	if (messages->mes[me].state != SPIN_ME_FREE)
		return 1;
	for (unsigned i = 0; i < messages->limits.mpqs; i++)
		if (messages->mpqs[i].phase != MPQ_FREE && messages->mpqs[i].me == me)
			return 1;
	return 0;
}

static void post(struct pspin *nic, unsigned i, const struct spin_me *entry)
{
	struct messages *messages = nic->messages;
	struct spin_me *me = &messages->mes[i];

	memset(me, 0, sizeof(*me));
	me->state = SPIN_ME_OPEN;
	me->options = entry->options;
	me->match_bits = entry->match_bits;
	me->ignore_bits = entry->ignore_bits;
	me->start = entry->start;
	me->length = entry->length;
	memcpy(me->src, entry->src, sizeof(me->src));
	me->source = entry->source;
	me->source_mask = entry->source_mask;
	me->min_free = entry->min_free;
	me->serial = messages->next_serial++;
	entry_memory__place(nic, i, entry->start, entry->length);
}

/* The first entry's handler memory is set with the host memory. */
void entries__reset(struct pspin *nic)
{
	struct messages *messages = nic->messages;
	struct spin_me all = { .ignore_bits = UINT64_MAX, .length = messages->limits.host_bytes };

	memset(messages->mes, 0, sizeof(messages->mes));
	messages->next_serial = 0;
	if (!messages->limits.no_entry)
		post(nic, 0, &all);
}

void entries__events_taken(struct messages *messages)
{
	for (unsigned i = 0; i < SPIN_MES_MAX; i++)
		if (messages->mes[i].state == SPIN_ME_UNREAD)
			messages->mes[i].state = SPIN_ME_FREE;
}

int pspin__me_append(struct pspin *nic, const struct spin_me *entry, const struct spin_segment *handler_mem, unsigned handler_segments,
		     unsigned *index)
{
	struct messages *messages = nic->messages;
	unsigned i = 0;

	if (!messages)
		return -EOPNOTSUPP;
	if (entry->options & ~(uint32_t)SPIN_ME_OPTIONS ||
	    (entry->options & SPIN_ME_NO_PAYLOAD && nic->meta.registration.fragmentation_bytes > 1) ||
	    (entry->min_free && (!(entry->options & SPIN_ME_MANAGE_LOCAL) || entry->min_free > entry->length)) ||
	    entry->start >= messages->limits.host_bytes || entry->length > messages->limits.host_bytes - entry->start ||
	    entry_memory__check(nic, handler_mem, handler_segments))
		return -EINVAL;
	while (i < SPIN_MES_MAX && in_use(messages, i))
		i++;
	if (i == SPIN_MES_MAX)
		return -ENOSPC;
	entry_memory__post(nic, i, handler_mem, handler_segments);
	post(nic, i, entry);
	if (index)
		*index = i;
	return 0;
}

int pspin__me_unlink(struct pspin *nic, unsigned index)
{
	if (!nic->messages)
		return -EOPNOTSUPP;
	if (index >= SPIN_MES_MAX || nic->messages->mes[index].state == SPIN_ME_FREE || nic->messages->mes[index].state == SPIN_ME_UNREAD)
		return -ENOENT;
	if (nic->messages->mes[index].state == SPIN_ME_TAKEN)
		return -EBUSY;
	nic->messages->mes[index].state = SPIN_ME_FREE;
	return 0;
}

int pspin__me_get(const struct pspin *nic, unsigned index, struct spin_me *out)
{
	if (!nic->messages)
		return -EOPNOTSUPP;
	if (index >= SPIN_MES_MAX)
		return -ENOENT;
	*out = nic->messages->mes[index];
	return 0;
}
