/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Matching entries: parts of the host memory that an application posts for messages. Posts, unlinks and reads them while handlers run
 * (spin_ctx__me_append() and others). Called by applications. Messages find entries in the order of posting.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/messages/messages.h"
#include "user/libspin/requests/requests.h"
#include "user/libspin/root.h"
#include "user/libspin/messages/host_side.h"

_Static_assert(SPIN_MES_MAX <= 64, "a bit for each entry");

static uint32_t state_of(const struct spin_me *me)
{
	return __atomic_load_n(&me->state, __ATOMIC_ACQUIRE);
}

/*
 * Renumbers the serials from 0, once in 2^32 postings. Starts with the lowest, so
 * that at any time the serials are in the order of posting.
 */
static void renumber(struct messages *m)
{
	uint32_t next = 0;

	for (;;) {
		struct spin_me *lowest = NULL;

		for (unsigned i = 0; i < SPIN_MES_MAX; i++)
			if (state_of(&m->me[i]) != SPIN_ME_FREE && m->me[i].serial >= next && (!lowest || m->me[i].serial < lowest->serial))
				lowest = &m->me[i];
		if (!lowest)
			break;
		__atomic_store_n(&lowest->serial, next++, __ATOMIC_RELEASE);
	}
	m->serial = next;
}

/* Copies the caller's options. A program built with an older header has a shorter struct; the missing fields are 0. */
static int copy_options(const struct spin_ctx *ctx, const struct spin_me_opts *from, struct spin_me_opts *to)
{
	const struct host_side *host = &ctx->host;
	const size_t host_bytes = host->memory.bytes;

	memset(to, 0, sizeof(*to));
	if (from->bytes < sizeof(from->bytes))
		return spin_fail(-EINVAL, "spin_me_opts: set bytes to sizeof(struct spin_me_opts)");
	memcpy(to, from, from->bytes < sizeof(*to) ? from->bytes : sizeof(*to));
	if (to->options & ~(uint32_t)SPIN_ME_OPTIONS)
		return spin_fail(-EINVAL, "a matching entry has no options 0x%x: those that there are have 0x%x (SPIN_ME_USE_ONCE, ...)",
				 to->options & ~(uint32_t)SPIN_ME_OPTIONS, SPIN_ME_OPTIONS);
	if (to->options & SPIN_ME_NO_PAYLOAD && ctx->messages->in_pieces)
		return spin_fail(-EINVAL,
				 "%s registers .fragmentation_bytes, so its entries have its payload handler: leave "
				 "SPIN_ME_NO_PAYLOAD out, or post the entry to a context of other handlers",
				 ctx->name);
	if (!spin_me_has_source(&to->source))
		return spin_fail(-EINVAL, "a matching entry's source has IP version %u: write 4 or 6, or leave all of it 0 for any source",
				 to->source.ip_version);
	if (to->start >= host_bytes || to->length > host_bytes - to->start)
		return spin_fail(-EINVAL,
				 "a matching entry of bytes %u to %llu lies outside the host memory of %zu bytes: "
				 "create the context with more (message.host_bytes)",
				 to->start, (unsigned long long)to->start + to->length, host_bytes);
	if (!to->length)
		to->length = (uint32_t)host_bytes - to->start;
	if (to->min_free && !(to->options & SPIN_ME_MANAGE_LOCAL))
		return spin_fail(-EINVAL, "min_free is of entries with SPIN_ME_MANAGE_LOCAL: set that, too, or leave it 0");
	if (to->on_overflow && to->options & SPIN_ME_OVERFLOW)
		return spin_fail(-EINVAL, "an entry of the overflow list finds no unexpected messages: leave on_overflow out");
	if (to->on_overflow && !ctx->messages->unexpected)
		return spin_fail(-EINVAL, "%s keeps no unexpected messages: create it with message.unexpected, or leave on_overflow out",
				 ctx->name);
	if (to->min_free > to->length)
		return spin_fail(-EINVAL, "a matching entry of %u bytes never has %u free (min_free): no message would find it open",
				 to->length, to->min_free);
	return host_side__check(host, to->handler_mem, to->handler_segments);
}

/* Returns 1 if a message in flight uses this entry. The entry may be unlinked; the message still uses its memory. */
static int is_in_use(const struct messages *m, unsigned me)
{
	for (unsigned i = 0; i < m->opts.messages; i++)
		if (__atomic_load_n(&m->mpq[i].phase, __ATOMIC_ACQUIRE) != SPIN_MPQ_FREE &&
		    __atomic_load_n(&m->mpq[i].me, __ATOMIC_RELAXED) == me)
			return 1;
	return 0;
}

/* Returns the lowest free entry; SPIN_MES_MAX: none is free. */
static unsigned find_free(const struct messages *m)
{
	unsigned i = 0;

	while (i < SPIN_MES_MAX && (state_of(&m->me[i]) != SPIN_ME_FREE || is_in_use(m, i)))
		i++;
	return i;
}

/* Waits until every handler that found an entry before it was unlinked has either visibly claimed it or dropped it. */
static void wait_for_handlers(struct spin_ctx *ctx)
{
	if (ctx->places) {
		struct spin_nic *nic = ctx->place[0].nic;

		pthread_mutex_lock(&nic->lock);
		root__wait(nic->root);
		pthread_mutex_unlock(&nic->lock);
	}
	ctx->messages->unlinked = 0;
}

int spin_messages__wanted(struct spin_ctx *ctx, const struct spin_me_opts *opts, struct spin_me_opts *of, struct spin_me *wanted)
{
	int err = copy_options(ctx, opts, of);

	if (err)
		return err;
	*wanted = (struct spin_me){ .options = of->options,
				    .match_bits = of->match_bits,
				    .ignore_bits = of->ignore_bits,
				    .start = of->start,
				    .length = of->length,
				    .min_free = of->min_free };
	spin_me_from(wanted, &of->source);
	return 0;
}

/* The caller holds m->posting. */
static void post(struct spin_ctx *ctx, unsigned i, const struct spin_me_opts *opts, const struct spin_me *wanted)
{
	struct messages *m = ctx->messages;
	struct spin_me *me = &m->me[i], posted = *wanted;

	posted.used = ((me->used >> 32) + 1) << 32;
	posted.serial = m->serial++;
	/*
	 * The state is FREE, so nobody reads the other fields until it changes. A handler that found the previous entry must see another
	 * `used` before it sees any other new field.
	 */
	__atomic_store_n(&me->used, posted.used, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*me = posted; /* still FREE */
	host_side__post(&ctx->host, i, opts->handler_mem, opts->handler_segments);
	if (i >= *m->me_end)
		__atomic_store_n(m->me_end, i + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&me->state, SPIN_ME_OPEN, __ATOMIC_RELEASE);
}

/* Appends an entry that also takes unexpected messages. Returns how many match it, with their events in *events. */
static int post_unless_found(struct spin_ctx *ctx, unsigned i, const struct spin_me_opts *opts, const struct spin_me *wanted, unsigned *me,
			     struct spin_event **events)
{
	struct messages *m = ctx->messages;
	int count;

	spin_messages__hold_overflow(m);
	count = spin_messages__take_unexpected(ctx, wanted, events);
	*me = i;
	if (count > 0 && wanted->options & SPIN_ME_USE_ONCE)
		*me = SPIN_MES_MAX;
	else if (count >= 0)
		post(ctx, i, opts, wanted);
	spin_messages__open_overflow(m);
	return count;
}

int spin_ctx__me_append(struct spin_ctx *ctx, const struct spin_me_opts *opts, unsigned *me)
{
	struct messages *m = spin_messages__of(ctx);
	struct spin_event *events = NULL;
	struct spin_me_opts of;
	struct spin_me wanted;
	int err, count = 0;
	unsigned i;

	if (!m)
		return -EOPNOTSUPP;
	err = spin_messages__wanted(ctx, opts, &of, &wanted);
	if (err)
		return err;
	i = find_free(m);
	if (i < SPIN_MES_MAX && m->unlinked >> i & 1) {
		wait_for_handlers(ctx);
		i = find_free(m);
	}
	if (i == SPIN_MES_MAX)
		return spin_fail(-ENOSPC,
				 "%s has %u matching entries, the most a context can have: unlink one, wait for a "
				 "message, or read events: those used once are free when their message's event was read",
				 ctx->name, SPIN_MES_MAX);
	if (m->serial == UINT32_MAX) {
		if (spin_requests__is_pending(ctx))
			return spin_fail(-EBUSY,
					 "%s has had 2^32 entries, which are to be numbered again, but puts of some wait: try "
					 "again in a second",
					 ctx->name);
		renumber(m);
	}
	pthread_mutex_lock(&m->posting);
	if (of.on_overflow) {
		count = post_unless_found(ctx, i, &of, &wanted, me, &events);
	} else {
		post(ctx, i, &of, &wanted);
		*me = i;
	}
	pthread_mutex_unlock(&m->posting);
	for (int n = 0; n < count; n++)
		of.on_overflow(of.overflow_arg, &events[n]);
	free(events);
	return count < 0 ? count : 0;
}

int spin_messages__first_entry(struct spin_ctx *ctx)
{
	const struct spin_me_opts all = {
		.bytes = sizeof(all), .ignore_bits = UINT64_MAX, .handler_mem = ctx->host.segment, .handler_segments = ctx->host.segments
	};
	struct messages *m = ctx->messages;
	unsigned first;

	memset(m->me, 0, SPIN_MES_MAX * sizeof(*m->me));
	if (!spin_requests__is_pending(ctx))
		m->serial = 0;
	m->unlinked = 0;
	return m->opts.no_entry ? 0 : spin_ctx__me_append(ctx, &all, &first);
}

void spin_messages__free_entry(struct spin_ctx *ctx, unsigned me)
{
	uint32_t unread = SPIN_ME_UNREAD;

	__atomic_compare_exchange_n(&ctx->messages->me[me].state, &unread, SPIN_ME_FREE, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Returns 1 if a message before the last one (which unlinked the entry) may have been a get. */
static int may_have_had_get(const struct spin_me *me)
{
	return me->options & SPIN_ME_MANAGE_LOCAL && me->options & SPIN_ME_OP_GET;
}

void spin_messages__event_read(struct spin_ctx *ctx, const struct spin_event *event)
{
	if (!ctx->messages || event->type != SPIN_EVENT_MESSAGE || !(event->flags & SPIN_EVENT_UNLINKED) || event->me >= SPIN_MES_MAX)
		return;
	if (!(event->flags & SPIN_EVENT_GET || may_have_had_get(&ctx->messages->me[event->me])) ||
	    !spin_requests__defer_free(ctx, event->me))
		spin_messages__free_entry(ctx, event->me);
}

static int fail_no_entry(const struct spin_ctx *ctx, unsigned me)
{
	return spin_fail(-ENOENT, "%s has no matching entry %u: it was unlinked, or never posted", ctx->name, me);
}

int spin_ctx__me_unlink(struct spin_ctx *ctx, unsigned me)
{
	struct messages *m = spin_messages__of(ctx);
	uint32_t state = SPIN_ME_OPEN;

	if (!m)
		return -EOPNOTSUPP;
	if (me >= SPIN_MES_MAX)
		return fail_no_entry(ctx, me);
	if (__atomic_compare_exchange_n(&m->me[me].state, &state, SPIN_ME_FREE, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		m->unlinked |= 1ull << me;
		spin_requests__unlinked(ctx, me);
		return 0;
	}
	if (state == SPIN_ME_FREE || state == SPIN_ME_UNREAD)
		return fail_no_entry(ctx, me);
	return spin_fail(-EBUSY, "a message has matching entry %u of %s: wait for its event", me, ctx->name);
}

int spin_ctx__me_get(struct spin_ctx *ctx, unsigned me, struct spin_me *out)
{
	struct messages *m = spin_messages__of(ctx);
	const struct spin_me *from;

	if (!m)
		return -EOPNOTSUPP;
	if (me >= SPIN_MES_MAX)
		return fail_no_entry(ctx, me);
	from = &m->me[me];
	*out = *from; /* handlers write only the fields below */
	out->state = state_of(from);
	out->messages = __atomic_load_n(&from->messages, __ATOMIC_RELAXED);
	out->bytes = __atomic_load_n(&from->bytes, __ATOMIC_RELAXED);
	out->used = __atomic_load_n(&from->used, __ATOMIC_RELAXED) & UINT32_MAX; /* the upper half counts postings */
	return 0;
}
