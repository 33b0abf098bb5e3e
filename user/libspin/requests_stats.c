/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "user/libspin/requests_private.h"

static uint64_t load(const uint64_t *at)
{
	return __atomic_load_n(at, __ATOMIC_RELAXED);
}

int spin_ctx__put_stats(struct spin_ctx *ctx, struct spin_put_stats *out)
{
	const struct requests *r = ctx->requests;
	uint64_t copies = 0;

	memset(out, 0, sizeof(*out));
	if (!r)
		return 0;
	out->copied = out__made(ctx); /* before what were to be: those are more */
	for (unsigned i = 0; i < SPIN_HPUS_MAX; i++) {
		out->returned += load(&r->stats[i].returned);
		out->lost_queue += load(&r->stats[i].no_room);
		copies += load(&r->stats[i].copies);
	}
	out->lost_copy = copies > out->copied ? copies - out->copied : 0;
	out->sent = load(&r->sent);
	out->lost_way = load(&r->unsent);
	out->puts = load(&r->put);
	out->puts_failed = load(&r->unput);
	out->answers = load(&r->answered);
	out->answers_failed = load(&r->unanswered);
	out->events_lost = load(&r->untold);
	return 0;
}
