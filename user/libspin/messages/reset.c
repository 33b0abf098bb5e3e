/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Resets a context of messages to its initial state without reloading it. Called by user/conformance/bpf.c between tests. The table of
 * messages (flow table) is 4 MiB, so only the entries that were used are cleared.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/messages/in_flight.h"
#include "user/libspin/messages/host_side.h"

#define FULL_CLEAR_INTERVAL 4096 /* resets after which the whole table is cleared as well: deleted keys lengthen searches */

struct messages_used {
	uint64_t opened;      /* messages opened, when last read */
	uint32_t opened_here; /* since the last reset */
	uint32_t resets;
	uint32_t flows;
	uint32_t flow[SPIN_FLOWS];
	uint32_t generation[SPIN_MPQS_MAX]; /* generation of each MPQ, when last read */
};

static uint64_t count_opened(const struct messages *m)
{
	const struct messages_view view = { .stats = m->stats };
	struct spin_message_stats stats;

	messages_view__stats(&view, &stats);
	return stats.opened;
}

/* MPQs are allocated from the lowest up, so no more of them were used than messages were opened. */
void spin_messages__note_used(struct spin_ctx *ctx)
{
	const struct messages *m = ctx->messages;
	struct messages_used *used = m->used;
	uint64_t now;

	if (!used)
		return;
	now = count_opened(m);
	if (now == used->opened)
		return;
	used->opened_here += (uint32_t)(now - used->opened);
	used->opened = now;
	for (uint32_t i = 0; i < m->opts.messages && i < used->opened_here; i++) {
		if (m->mpq[i].generation == used->generation[i])
			continue;
		used->generation[i] = m->mpq[i].generation;
		if (used->flows < SPIN_FLOWS)
			used->flow[used->flows++] = m->mpq[i].flow % SPIN_FLOWS;
	}
}

static void clear_flows(struct messages *m)
{
	struct messages_used *used = m->used;
	struct spin_flow *flow = (struct spin_flow *)m->flow;

	if (used->flows == SPIN_FLOWS || ++used->resets % FULL_CLEAR_INTERVAL == 0) {
		memset(flow, 0, SPIN_FLOWS * sizeof(*flow));
	} else {
		for (uint32_t i = 0; i < used->flows; i++)
			memset(&flow[used->flow[i]], 0, sizeof(*flow));
	}
	used->flows = 0;
}

/* Clears the engine's other variables. Counters and statistics stay. */
static int clear_variables(struct spin_ctx *ctx)
{
	static const struct {
		const char *name;
		size_t bytes;
	} variables[] = {
		{ "spin_mpqs_used", SPIN_MPQ_WORDS * sizeof(uint64_t) },
		{ "spin_parks_used", SPIN_PARKING_MAX / 64 * sizeof(uint64_t) },
		{ "spin_parks", SPIN_PARKING_MAX * sizeof(struct spin_park) },
		{ "spin_flow_locks", SPIN_FLOW_LOCKS * sizeof(uint32_t) },
		{ "spin_events_reserved", sizeof(uint32_t) },
		{ "spin_mpqs_next", sizeof(uint32_t) },
		{ "spin_parks_next", sizeof(uint32_t) },
		{ "spin_pressed_next", 2 * sizeof(uint32_t) },
		{ "spin_sweep_at", sizeof(uint32_t) },
		{ "spin_clock", sizeof(uint64_t) },
	};
	struct messages *m = ctx->messages;
	uint32_t *put_id = NULL;

	if (ctx->requests)
		put_id = section__variable(ctx->bpf, ".bss", &ctx->bss, "spin_put_id", sizeof(*put_id));
	if (put_id)
		*put_id = 0;
	for (unsigned i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		if (!m->rest[i])
			m->rest[i] = section__variable(ctx->bpf, ".bss", &ctx->bss, variables[i].name, variables[i].bytes);
		if (!m->rest[i])
			return spin_fail(-EINVAL, "%s has no %s of this version; compile it again with spincc", ctx->name,
					 variables[i].name);
		memset(m->rest[i], 0, variables[i].bytes);
	}
	return 0;
}

int spin_messages__reset(struct spin_ctx *ctx)
{
	struct messages *m = ctx->messages;
	int first_time = !m->used, err;

	if (first_time) {
		m->used = calloc(1, sizeof(*m->used));
		if (!m->used)
			return spin_fail(-ENOMEM, "no memory to reset %s", ctx->name);
		m->used->flows = SPIN_FLOWS; /* unknown at first, so the whole table is cleared */
	}
	spin_messages__note_used(ctx);
	clear_flows(m);
	for (uint32_t i = 0; i < m->opts.messages && (first_time || i < m->used->opened_here); i++)
		memset(&m->mpq[i], 0, sizeof(m->mpq[i]));
	if (m->wide)
		memset(m->wide, 0, (size_t)m->opts.messages * m->wide_words * sizeof(*m->wide));
	memset(m->used->generation, 0, (size_t)(first_time ? SPIN_MPQS_MAX : m->opts.messages) * sizeof(uint32_t));
	m->used->opened = count_opened(m);
	m->used->opened_here = 0;
	err = clear_variables(ctx);
	if (err)
		return err;
	host_side__reset(ctx);
	while (spin_ctx__events(ctx, NULL, NULL) > 0)
		;
	return spin_messages__first_entry(ctx);
}
