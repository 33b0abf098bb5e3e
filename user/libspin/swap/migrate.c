/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Replaces the handlers of a context, while packets flow, by others whose state and tables have another layout. Called by applications and
 * spind (spin_ctx__migrate()). The new handlers have their own memory. The old memory is copied while the old handlers run. Then a gate
 * (gate.h) makes packets wait while what has changed since is copied again, and opens to the new handlers. So no packet and no update is
 * lost: what a packet's handlers have written is visible to the next packet. On failure the old handlers continue with their memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/abi/gate.h"
#include "user/libspin/internal.h"
#include "user/libspin/object/layout.h"
#include "user/libspin/object/layout_move.h"
#include "user/libspin/object/layout_plan.h"
#include "user/libspin/swap/gate.h"
#include "user/libspin/swap/swap.h"

#define VARIABLES_MAX     1024u
#define RUNTIME_VARIABLES 3u
#define WAIT_NS           1000000ull /* longest time that packets wait in the first tries: 1 ms */
#define TRIES_EACH        3u         /* tries before that time is doubled: 3 each with 1, 2, 4 and 8 ms (SPIN_GATE_TRIES is 12) */

struct move {
	struct layout_move *plan;
	const char *from;
	char *to;
};

struct migration {
	struct spin_ctx *ctx, *next;
	struct move *move;
	unsigned count;
	size_t bytes; /* of the old variables */
	struct layout_lost lost;
	struct spin_migration report;
};

/* --- what is moved --- */

static char *address_of(const struct spin_ctx *ctx, const struct layout_variable *var)
{
	const struct spin_memory *mem = !strcmp(var->section, ".data") ? &ctx->data : !strcmp(var->section, ".bss") ? &ctx->bss : NULL;

	if (!mem || !mem->addr || var->offset > mem->bytes || var->bytes > mem->bytes ||
	    (uint64_t)var->bytes * var->copies > mem->bytes - var->offset)
		return NULL;
	return mem->addr + var->offset;
}

static int add_move(struct migration *m, const struct layout_variable *from, const struct layout_variable *to)
{
	struct move *move = &m->move[m->count];
	int err;

	move->from = address_of(m->ctx, from);
	move->to = address_of(m->next, to);
	m->bytes += from->bytes * from->copies;
	if (!move->from || !move->to || m->bytes > m->ctx->data.bytes + m->ctx->bss.bytes)
		return spin_fail(-EINVAL, "'%s' lies outside of the object's memory; compile it again with spincc", from->name);
	err = layout_move__plan(m->ctx->btf, from, m->next->btf, to, &m->lost, &move->plan);
	m->count += !err;
	return err;
}

/* Plans the move of a variable of the runtime. Connections exist only in handlers of TCP segments. */
static int plan_move_of_runtime(struct migration *m, const char *name)
{
	struct layout_variable from, to;
	const int here = !layout__find(m->ctx->btf, name, &from), there = !layout__find(m->next->btf, name, &to);

	if (here != there)
		return spin_fail(-EINVAL, "'%s' is in one of the objects only: compile both with the same spincc", name);
	return here ? add_move(m, &from, &to) : 0;
}

/* Plans the moves of the old handlers' state and tables, by name, of the packet counters and of connections. */
static int plan_moves(struct migration *m)
{
	static const char *const of_runtime[RUNTIME_VARIABLES] = { "spin_counters", "spin_connection_tags", "spin_connections" };
	struct layout_variable var, other;
	int err = 0;

	m->move = calloc(VARIABLES_MAX + RUNTIME_VARIABLES, sizeof(*m->move));
	if (!m->move)
		return spin_fail(-ENOMEM, "no memory to move the state of %s", m->ctx->name);
	for (unsigned i = 0; !err && !layout__nth(m->ctx->btf, i, &var); i++) {
		if (i == VARIABLES_MAX)
			return spin_fail(-E2BIG, "%s has more than %u tables: they cannot be moved", m->ctx->name, VARIABLES_MAX);
		if (layout__find(m->next->btf, var.name, &other) || !strcmp(other.section, ".rodata"))
			layout_lost__add(&m->lost, var.name);
		else
			err = add_move(m, &var, &other);
	}
	for (size_t i = 0; !err && i < RUNTIME_VARIABLES; i++)
		err = plan_move_of_runtime(m, of_runtime[i]);
	return err;
}

static int update_moves(struct migration *m, uint64_t *changed)
{
	int err = 0;

	for (unsigned i = 0; i < m->count && !err; i++)
		err = layout_move__update(m->move[i].plan, m->move[i].from, m->move[i].to, changed);
	return err;
}

/* --- tries --- */

/*
 * Updates once more before shutting the gate, so that the update during which packets wait is short. Returns 0, -EAGAIN without a reason,
 * or another error.
 */
static int try_once(struct migration *m, unsigned try)
{
	struct gate *gate = m->ctx->gate;
	uint64_t before = 0, late = 0;
	int err = update_moves(m, &before);

	m->report.late_bytes += before;
	if (err)
		return err;
	err = gate__shut(gate, try, WAIT_NS << try / TRIES_EACH);
	if (err)
		return err;
	err = update_moves(m, &late);
	if (err) {
		gate__open_old(gate);
		return err;
	}
	err = gate__open_new(gate);
	m->report.wait_ns = gate__shut_ns(gate);
	m->report.late_bytes += late;
	return err;
}

/* Tries to move the state and switch while packets wait. Each try is short, and may fail if too much changes during it. */
static int switch_over(struct migration *m)
{
	int err = -EAGAIN;

	for (unsigned try = 0; try < SPIN_GATE_TRIES && err == -EAGAIN; try++) {
		err = try_once(m, try);
		m->report.tries++;
	}
	if (err == -EAGAIN)
		return spin_fail(
			err,
			"%s has so many packets, or so large a state, that %u tries to move it while they wait have failed: the old "
			"handlers go on; try again when fewer packets come",
			m->ctx->name, SPIN_GATE_TRIES);
	return err;
}

/*
 * Makes packets go to the handlers without the gate. If that fails, the gate stays as long as the context, and passes packets on to the
 * same handlers: if it were freed, packets would pass without handlers.
 */
static int remove_gate(struct spin_ctx *ctx, const struct spin_ctx *handlers)
{
	int err = ctx->guard ? guard__replace(ctx->guard, handlers->prog_fd) : 0;

	if (!err)
		err = swap__replace_entry(ctx, ctx->guard ? guard__program_fd(ctx->guard) : handlers->prog_fd, gate__entry_fd(ctx->gate));
	swap__wait(ctx);
	if (err)
		return err;
	gate__free(ctx->gate);
	ctx->gate = NULL;
	return 0;
}

/* Puts the gate in front of the old handlers. Afterwards every run of handlers passes it. */
static int insert_gate(struct spin_ctx *ctx, const struct spin_ctx *next)
{
	int err = ctx->gate ? remove_gate(ctx, ctx) : 0; /* of an earlier migration */

	if (!err)
		err = gate__new(ctx->guard ? guard__program_fd(ctx->guard) : -1, ctx->prog_fd, next->prog_fd, ctx->is_shared, &ctx->gate);
	if (err)
		return err;
	if (ctx->guard)
		err = guard__replace(ctx->guard, gate__choose_fd(ctx->gate));
	if (!err)
		err = swap__replace_entry(ctx, gate__entry_fd(ctx->gate), swap__entry_fd(ctx));
	swap__wait(ctx); /* afterwards all runs of the handlers are counted */
	if (err)
		remove_gate(ctx, ctx);
	return err;
}

static int migrate_attached(struct migration *m)
{
	int err = insert_gate(m->ctx, m->next);

	if (err)
		return err;
	err = switch_over(m);
	remove_gate(m->ctx, err ? m->ctx : m->next);
	return err;
}

/* Not attached: no handler runs, so no packet has to wait. */
static int migrate_detached(struct migration *m)
{
	return m->ctx->guard ? guard__replace(m->ctx->guard, m->next->prog_fd) : 0;
}

/* --- the whole migration --- */

/* Returns 0 if the context's state can be moved at all, else -errno with a reason. */
static int check(const struct spin_ctx *ctx, const struct spin_object *obj, const struct spin_migration *report)
{
	int err = swap__check(ctx, obj);

	if (err)
		return err;
	if (report && report->bytes < sizeof(report->bytes))
		return spin_fail(-EINVAL, "spin_migration: set bytes to sizeof(struct spin_migration)");
	if (ctx->ring_delivery)
		return spin_fail(-EOPNOTSUPP, "%s has a ring, which reads its counters where they are: destroy the ring before", ctx->name);
	if (ctx->streams)
		return spin_fail(-EOPNOTSUPP,
				 "%s is on a socket of TCP, whose bytes cannot wait while its state is moved: keep the layout of state and "
				 "tables, or end the context, and attach the new handlers",
				 ctx->name);
	if (ctx->shares_state)
		return spin_fail(-EOPNOTSUPP, "%s has its state together with other contexts, whose handlers expect it as it is",
				 ctx->name);
	if (ctx->has_hpu_mem)
		return spin_fail(-EOPNOTSUPP, "the state of %s lies in HPU memory that its program has allocated: it stays there",
				 ctx->name);
	return 0;
}

static int check_work_items(const struct spin_ctx *ctx)
{
	return ctx->work ? spin_fail(-EOPNOTSUPP, "%s leaves work items, which are counted in its memory: it cannot be moved", ctx->name)
			 : 0;
}

static void fill_report(const struct migration *m, struct spin_migration *report)
{
	const size_t bytes = report ? report->bytes : 0;
	struct spin_migration result = m->report;

	if (!report)
		return;
	result.bytes = bytes;
	if (m->lost.more)
		snprintf(result.lost, sizeof(result.lost), "%s and %u more", m->lost.names, m->lost.more);
	else
		snprintf(result.lost, sizeof(result.lost), "%s", m->lost.names);
	memcpy(report, &result, bytes < sizeof(result) ? bytes : sizeof(result));
}

static void free_moves(struct migration *m)
{
	for (unsigned i = 0; i < m->count; i++)
		layout_move__free(m->move[i].plan);
	free(m->move);
}

int spin_ctx__migrate(struct spin_ctx *ctx, const struct spin_object *obj, struct spin_migration *report)
{
	struct migration m = { .ctx = ctx };
	int err = check(ctx, obj, report);

	if (err)
		return err;
	err = check_work_items(ctx);
	if (!err)
		err = ctx__create_next(ctx, obj, &ctx->rule, 1, &m.next);
	if (!err)
		err = check_work_items(m.next);
	if (!err)
		err = plan_moves(&m);
	if (!err)
		err = update_moves(&m, &m.report.moved_bytes);
	if (!err) {
		swap__set_tailroom(ctx, ctx->needs_tailroom || m.next->needs_tailroom);
		err = ctx->places ? migrate_attached(&m) : migrate_detached(&m);
	}
	if (err)
		spin_ctx__destroy(m.next);
	else
		swap__finish(ctx, m.next);
	fill_report(&m, report);
	swap__set_tailroom(ctx, ctx->needs_tailroom);
	free_moves(&m);
	return err;
}
