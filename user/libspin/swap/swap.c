/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Replaces the handlers of a context while packets flow, by others with the same layout of state and tables (migrate.c: another layout).
 * Called by applications and spind (spin_ctx__swap()). The new programs are loaded with the old ones' maps of state, so nothing is copied
 * and no update is lost. Then one entry of a program array is replaced, which each packet, or piece of a stream, reads once.
 */
#include <errno.h>
#include <string.h>

#include "user/libspin/card/card.h"
#include "user/libspin/internal.h"
#include "user/libspin/object/layout.h"
#include "user/libspin/ring/ring.h"
#include "user/libspin/root.h"
#include "user/libspin/streams/streams.h"
#include "user/libspin/swap/swap.h"

/* Maps shared by handlers and applications; each program has its own of the others. */
static const char *const shared_sections[] = { ".data", ".bss" };
static const char *const shared_maps[] = { "spin_events", "spin_host" };
/* Shared only if both have them: programs with bounded loops take no streams. */
static const char *const stream_maps[] = { "spin_units_taken", "spin_streams_taken", "spin_streams_seen" };
/* The open streams: only new handlers of the same context continue them. */
#define STREAMS "spin_streams"

static int reuse_map(const struct spin_ctx *ctx, const struct bpf_map *from, struct bpf_map *to, const char *name)
{
	int err = 0;

	if (!from != !to || (from && bpf_map__value_size(from) != bpf_map__value_size(to)))
		err = -EINVAL;
	else if (from && bpf_map__autocreate(from))
		err = bpf_map__reuse_fd(to, bpf_map__fd(from));
	return err ? spin_fail(err, "%s has another %s in the new handlers: detach it, and create it again", ctx->name, name) : 0;
}

/*
 * Variables of the runtime that stay where they are: libspin, rings and other processes read counters at the address in the old object, and
 * the connections of TCP segments continue.
 */
static const char *const stay_in_place[] = { "spin_counters", "spin_work_counts", "spin_connection_tags", "spin_connections" };

/* What other programs and mappings find by address must be at the same place in both objects. */
static int compare_runtime_variables(const struct spin_ctx *ctx, const struct btf *next)
{
	struct layout_variable var, other;

	for (size_t i = 0; i < sizeof(stay_in_place) / sizeof(stay_in_place[0]); i++) {
		const int here = !layout__find(ctx->btf, stay_in_place[i], &var), there = !layout__find(next, stay_in_place[i], &other);

		if (here != there || (here && !layout__same(ctx->btf, &var, next, &other)))
			return spin_fail(
				-EINVAL,
				"the new handlers have the runtime's '%s' in another place than %s: compile both with the same spincc, "
				"or detach the context and create it again",
				stay_in_place[i], ctx->name);
	}
	return 0;
}

/* Returns 0 if all variables of both have the same offset and the same fields; else fails and names the first one that differs. */
static int compare_layouts(const struct spin_ctx *ctx, const struct btf *next)
{
	struct layout_variable var, other;
	unsigned i = 0;

	for (; !layout__nth(ctx->btf, i, &var); i++) {
		if (layout__find(next, var.name, &other) || !layout__same(ctx->btf, &var, next, &other))
			return spin_fail(
				-EINVAL,
				"the new handlers have another '%s' than %s, whose state would be lost: keep its layout, or detach "
				"the context and create it again",
				var.name, ctx->name);
	}
	if (!layout__nth(next, i, &other))
		return spin_fail(-EINVAL,
				 "the new handlers have a state or table more than %s has: keep the layout, or detach the context and "
				 "create it again",
				 ctx->name);
	return compare_runtime_variables(ctx, next);
}

static int reuse_named_map(struct spin_ctx *ctx, const char *name)
{
	return reuse_map(ctx, bpf_object__find_map_by_name(ctx->previous->bpf, name), bpf_object__find_map_by_name(ctx->bpf, name), name);
}

int swap__reuse_maps(struct spin_ctx *ctx)
{
	const struct bpf_object *old = ctx->previous->bpf;
	int err = ctx->moves ? 0 : compare_layouts(ctx->previous, ctx->btf);

	for (size_t i = 0; !ctx->moves && i < sizeof(shared_sections) / sizeof(shared_sections[0]) && !err; i++)
		err = reuse_map(ctx, section__map(old, shared_sections[i]), section__map(ctx->bpf, shared_sections[i]), shared_sections[i]);
	for (size_t i = 0; i < sizeof(shared_maps) / sizeof(shared_maps[0]) && !err; i++)
		err = reuse_named_map(ctx, shared_maps[i]);
	for (size_t i = 0; i < sizeof(stream_maps) / sizeof(stream_maps[0]) && !err; i++)
		if (bpf_object__find_map_by_name(old, stream_maps[i]) && bpf_object__find_map_by_name(ctx->bpf, stream_maps[i]))
			err = reuse_named_map(ctx, stream_maps[i]);
	if (!err && ctx->replaces && ctx->takes_streams)
		err = reuse_named_map(ctx, STREAMS);
	return err;
}

int swap__is_possible(const struct spin_ctx *ctx, const struct spin_object *obj)
{
	return !ctx->messages && !ctx->requests && !ctx->loads && obj->meta.registration.delivery != SPIN_DELIVER_ME &&
	       !obj->meta.registration.puts;
}

int swap__check(const struct spin_ctx *ctx, const struct spin_object *obj)
{
	if (ctx->remote)
		return spin_fail(-EOPNOTSUPP, "%s is spind's: spin_socket__swap() replaces its handlers", ctx->name);
	if (ctx->card)
		return card__cannot(ctx, "other handlers while it runs: detach it, and create it again");
	if (ctx->streams)
		return spin_streams__fit(obj);
	if (!swap__is_possible(ctx, obj))
		return spin_fail(
			-EOPNOTSUPP,
			"handlers that take messages, send packets (SPIN_PUTS) or are spread over CPUs are not replaced while they "
			"run: detach %s, and create it again",
			ctx->name);
	if (ctx__takes_segments(ctx) != (obj->meta.registration.delivery == SPIN_DELIVER_SEGMENTS))
		return spin_fail(-EOPNOTSUPP,
				 "of the new handlers and those of %s only one takes TCP segments: detach it, and create it again",
				 ctx->name);
	return 0;
}

static int replace_at(const struct spin_place *place, int prog_fd)
{
	int err;

	pthread_mutex_lock(&place->nic->lock);
	err = root__replace(place->nic->root, place->slot, prog_fd);
	pthread_mutex_unlock(&place->nic->lock);
	return err;
}

int swap__entry_fd(const struct spin_ctx *ctx)
{
	if (ctx->guard)
		return guard__program_fd(ctx->guard);
	return ctx->ring_delivery ? ring__program_fd(ctx->ring_delivery) : ctx->prog_fd;
}

int swap__replace_entry(struct spin_ctx *ctx, int prog_fd, int old_fd)
{
	unsigned done = 0;
	int err = 0;

	while (done < ctx->places && !err)
		err = replace_at(&ctx->place[done++], prog_fd);
	while (err && done--)
		replace_at(&ctx->place[done], old_fd);
	return err;
}

void swap__wait(const struct spin_ctx *ctx)
{
	if (ctx->places)
		root__wait(ctx->place[0].nic->root);
}

void swap__set_tailroom(struct spin_ctx *ctx, int needs_tailroom)
{
	if (ctx->guard) {
		guard__set_room(ctx->guard, needs_tailroom);
		return;
	}
	for (unsigned i = 0; i < ctx->places; i++) {
		pthread_mutex_lock(&ctx->place[i].nic->lock);
		root__set_tailroom(ctx->place[i].nic->root, ctx->place[i].slot, needs_tailroom);
		pthread_mutex_unlock(&ctx->place[i].nic->lock);
	}
}

/* Replaces the programs everywhere or nowhere; afterwards no HPU runs the other ones. */
static int replace_program(struct spin_ctx *ctx, struct spin_ctx *next)
{
	int err;

	if (ctx->streams)
		return streams__replace(ctx, next);
	if (ctx->guard)
		err = guard__replace(ctx->guard, next->prog_fd);
	else if (ctx->ring_delivery)
		err = ring__replace(ctx->ring_delivery, next->prog_fd);
	else
		err = swap__replace_entry(ctx, next->prog_fd, ctx->prog_fd);
	swap__wait(ctx);
	return err;
}

void swap__exchange_memory(struct spin_ctx *ctx, struct spin_ctx *next)
{
	const struct spin_memory data = ctx->data, bss = ctx->bss;

	ctx->data = next->data;
	ctx->bss = next->bss;
	ctx->counters = next->counters;
	ctx->work = next->work;
	next->data = data;
	next->bss = bss;
}

void swap__exchange_object(struct spin_ctx *ctx, struct spin_ctx *next)
{
	struct spin_object *old_object = ctx->object;
	struct bpf_object *old_bpf = ctx->bpf;

	ctx->bpf = next->bpf;
	next->bpf = old_bpf;
	ctx->object = next->object;
	next->object = old_object;
	ctx->btf = next->btf;
	ctx->bounded = next->bounded;
	ctx->direct_bytes = next->direct_bytes;
}

void swap__finish(struct spin_ctx *ctx, struct spin_ctx *next)
{
	if (next->moves)
		swap__exchange_memory(ctx, next);
	swap__exchange_object(ctx, next);
	ctx->prog_fd = next->prog_fd;
	memcpy(ctx->program, next->program, sizeof(ctx->program));
	ctx->needs_tailroom = next->needs_tailroom;
	ctx->events_fd = next->events_fd;
	ctx->budget = next->budget;
	spin_ctx__destroy(next);
}

int spin_ctx__swap(struct spin_ctx *ctx, const struct spin_object *obj)
{
	struct spin_ctx *next;
	int err = swap__check(ctx, obj);

	if (!err)
		err = ctx__create_next(ctx, obj, &ctx->rule, 0, &next);
	if (err)
		return err;
	swap__set_tailroom(ctx, ctx->needs_tailroom || next->needs_tailroom);
	err = replace_program(ctx, next);
	if (err)
		spin_ctx__destroy(next);
	else
		swap__finish(ctx, next);
	swap__set_tailroom(ctx, ctx->needs_tailroom);
	return err;
}
