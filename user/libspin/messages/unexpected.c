/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Unexpected messages (as in Portals 4): they arrived before an entry was posted for them, and lie in memory of the overflow list (entries
 * for messages that match no other entry). The host's side of bpf/messages/unexpected.h. Called when an entry is posted (me.c), to find
 * messages that it matches, and by applications that search for them (spin_ctx__me_search()); the mutex m->posting serializes both.
 * Handlers add messages and complete them; only this side removes complete ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/messages/messages.h"
#include "user/libspin/object/section.h"

int spin_messages__map_unexpected(struct messages *m, const struct bpf_object *bpf, const struct spin_memory *mem)
{
	if (!m->opts.unexpected)
		return 0;
	m->unexpected = section__variable(bpf, ".bss", mem, "spin_unexpected", SPIN_UNEXPECTED_MAX * sizeof(*m->unexpected));
	m->unexpected_used = section__variable(bpf, ".bss", mem, "spin_unexpected_used", SPIN_UNEXPECTED_MAX / 8);
	m->appends = section__variable(bpf, ".bss", mem, "spin_unexpected_appends", sizeof(*m->appends));
	return m->unexpected && m->unexpected_used && m->appends ? 0 : -ENOENT;
}

static int matches(const struct spin_unexpected *u, const struct spin_me *wanted)
{
	if ((u->match_bits ^ wanted->match_bits) & ~wanted->ignore_bits || (u->source ^ wanted->source) & wanted->source_mask)
		return 0;
	return !(wanted->source_mask & 255) || !memcmp(u->src, wanted->src, sizeof(u->src));
}

static uint32_t state_of(const struct spin_unexpected *u)
{
	return __atomic_load_n(&u->state, __ATOMIC_ACQUIRE);
}

/* Returns the first message that matches and arrived after *after; NULL: none. */
static struct spin_unexpected *find_first(const struct messages *m, const struct spin_me *wanted, const struct spin_unexpected *after)
{
	struct spin_unexpected *first = NULL;

	for (unsigned i = 0; i < m->opts.unexpected; i++) {
		struct spin_unexpected *u = &m->unexpected[i];

		if (state_of(u) == SPIN_UNEXPECTED_FREE || !matches(u, wanted) || (after && u->order <= after->order))
			continue;
		if (!first || u->order < first->order)
			first = u;
	}
	return first;
}

static void remove_message(struct messages *m, struct spin_unexpected *u, struct spin_event *event)
{
	const unsigned index = (unsigned)(u - m->unexpected);

	*event = u->event;
	event->type = SPIN_EVENT_PUT_OVERFLOW;
	__atomic_store_n(&u->state, SPIN_UNEXPECTED_FREE, __ATOMIC_RELEASE);
	__atomic_fetch_and(&m->unexpected_used[index / 64], ~(1ull << index % 64), __ATOMIC_RELEASE);
}

static int fail_still_arriving(const struct spin_ctx *ctx)
{
	return spin_fail(-EAGAIN,
			 "a message that the entry is for is on its way into an overflow entry of %s: try again when "
			 "the next event is there, or in some milliseconds",
			 ctx->name);
}

void spin_messages__hold_overflow(struct messages *m)
{
	__atomic_fetch_add(m->appends, 1, __ATOMIC_SEQ_CST); /* odd */
}

void spin_messages__open_overflow(struct messages *m)
{
	__atomic_fetch_add(m->appends, 1, __ATOMIC_SEQ_CST);
}

int spin_messages__take_unexpected(struct spin_ctx *ctx, const struct spin_me *wanted, struct spin_event **events)
{
	struct messages *m = ctx->messages;
	struct spin_unexpected *u = find_first(m, wanted, NULL);
	unsigned count = 0;

	*events = NULL;
	if (!u)
		return 0;
	for (; u && !(count && wanted->options & SPIN_ME_USE_ONCE); u = find_first(m, wanted, u), count++)
		if (state_of(u) != SPIN_UNEXPECTED_COMPLETE)
			return fail_still_arriving(ctx);
	*events = calloc(count, sizeof(**events));
	if (!*events)
		return spin_fail(-ENOMEM, "no memory for the events of %u unexpected messages", count);
	for (unsigned i = 0; i < count; i++)
		remove_message(m, find_first(m, wanted, NULL), &(*events)[i]);
	return (int)count;
}

int spin_ctx__me_search(struct spin_ctx *ctx, const struct spin_me_opts *opts, enum spin_search what, struct spin_event *out)
{
	struct messages *m = spin_messages__of(ctx);
	struct spin_me_opts of;
	struct spin_unexpected *u;
	struct spin_me wanted;
	int err;

	if (!m)
		return -EOPNOTSUPP;
	if (!m->unexpected)
		return spin_fail(-EOPNOTSUPP, "%s keeps no unexpected messages: create it with message.unexpected", ctx->name);
	err = spin_messages__wanted(ctx, opts, &of, &wanted);
	if (err)
		return err;
	pthread_mutex_lock(&m->posting);
	u = find_first(m, &wanted, NULL);
	if (!u) {
		err = spin_fail(-ENOENT, "%s has no such unexpected message", ctx->name);
	} else if (state_of(u) != SPIN_UNEXPECTED_COMPLETE) {
		err = fail_still_arriving(ctx);
	} else if (what == SPIN_SEARCH_DELETE) {
		remove_message(m, u, out);
	} else {
		*out = u->event;
		out->type = SPIN_EVENT_PUT_OVERFLOW;
	}
	pthread_mutex_unlock(&m->posting);
	return err;
}
