/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Gives a context (attached packet handlers) another match rule while packets arrive. Called by applications and spind
 * (spin_ctx__set_rule()). The rule is a constant of the program, so the object is loaded again, with the same maps of state (swap.c). In
 * each interface's dispatcher the new program and rule get a second slot. The first slot is removed when every running dispatcher has seen
 * the second. A packet that matches the old or the new rule is therefore always handled, by exactly one of the programs.
 */
#include <errno.h>

#include "user/libspin/card/card.h"
#include "user/libspin/internal.h"
#include "user/libspin/ring/ring.h"
#include "user/libspin/root.h"

struct change {
	struct spin_ctx *ctx, *next;
	int entry_fd;                 /* program that the dispatcher calls for next: its own, or a ring's that runs it */
	unsigned slot[SPIN_NICS_MAX]; /* of next, by the index of ctx's place */
	unsigned reserved, added;
};

/* Returns 0 if the context's rule can be changed while it runs, else -errno with a reason. */
static int check(const struct spin_ctx *ctx)
{
	if (ctx->remote)
		return spin_fail(-EOPNOTSUPP, "%s is spind's: spin_socket__set_rule() changes its rule", ctx->name);
	if (ctx->card)
		return card__cannot(ctx, "other rule while it runs: detach it, and create it again");
	if (ctx->guard || ctx->streams)
		return spin_fail(-EOPNOTSUPP, "%s is on a socket, whose address and port are its rule: attach handlers to another socket",
				 ctx->name);
	if (!ctx->nic)
		return spin_fail(-EOPNOTSUPP, "%s was made for no interface: create it again with the other rule", ctx->name);
	if (!ctx->object)
		return spin_fail(
			-EOPNOTSUPP,
			"handlers that take messages, send packets (SPIN_PUTS) or are spread over CPUs keep their rule while they run: "
			"detach %s, and create it again with the other one",
			ctx->name);
	return 0;
}

/*
 * Checks everything that can fail before any packet gets the new rule. The reserved slot prevents other contexts from taking overlapping
 * rules.
 */
static int reserve_slot(struct change *change, unsigned i)
{
	struct spin_nic *nic = change->ctx->place[i].nic;
	int err;

	pthread_mutex_lock(&nic->lock);
	err = root_attach__check(nic);
	if (!err)
		err = attach__find_slot(nic, change->next, change->ctx, &change->slot[i]);
	if (!err)
		nic->slot[change->slot[i]] = change->next;
	pthread_mutex_unlock(&nic->lock);
	return err;
}

static int add_to_slot(struct change *change, unsigned i)
{
	const struct spin_place *place = &change->ctx->place[i];
	int err;

	pthread_mutex_lock(&place->nic->lock);
	err = tap__join(change->ctx, place, change->slot[i]);
	if (!err)
		err = root__add(place->nic->root, change->slot[i], &change->next->rule, change->entry_fd, change->next->needs_tailroom);
	if (err)
		tap__leave(change->ctx, place, change->slot[i]);
	pthread_mutex_unlock(&place->nic->lock);
	return err;
}

/* Undoes what was done so far; the context keeps its old rule. */
static void undo(struct change *change)
{
	for (unsigned i = 0; i < change->reserved; i++) {
		const struct spin_place *place = &change->ctx->place[i];

		pthread_mutex_lock(&place->nic->lock);
		if (i < change->added) {
			root__remove(place->nic->root, change->slot[i]);
			tap__leave(change->ctx, place, change->slot[i]);
		}
		place->nic->slot[change->slot[i]] = NULL;
		pthread_mutex_unlock(&place->nic->lock);
	}
	if (change->ctx->ring_delivery)
		ring__drop_added(change->ctx->ring_delivery);
}

/* Removes the old slot. Afterwards no HPU runs the old program, and no other thread reads the context's rule. */
static void remove_old_slot(struct spin_ctx *ctx, const struct spin_place *place)
{
	pthread_mutex_lock(&place->nic->lock);
	root__remove(place->nic->root, place->slot);
	tap__leave(ctx, place, place->slot);
	place->nic->slot[place->slot] = NULL;
	pthread_mutex_unlock(&place->nic->lock);
}

static void publish(struct spin_ctx *ctx, struct spin_place *place, unsigned slot)
{
	pthread_mutex_lock(&place->nic->lock);
	place->slot = slot;
	place->nic->slot[slot] = ctx;
	pthread_mutex_unlock(&place->nic->lock);
}

int spin_ctx__set_rule(struct spin_ctx *ctx, const struct spin_rule *rule)
{
	struct change change = { .ctx = ctx };
	int err = check(ctx);

	if (!err)
		err = ctx__create_next(ctx, ctx->object, rule, 0, &change.next);
	if (err)
		return err;
	change.entry_fd = change.next->prog_fd;
	if (ctx->ring_delivery)
		err = ring__add(ctx->ring_delivery, change.next->prog_fd, &change.entry_fd);
	while (change.reserved < ctx->places && !err) {
		err = reserve_slot(&change, change.reserved);
		change.reserved += !err;
	}
	while (change.added < ctx->places && !err) {
		err = add_to_slot(&change, change.added);
		change.added += !err;
	}
	if (err) {
		undo(&change);
		spin_ctx__destroy(change.next);
		return err;
	}
	/*
	 * A dispatcher that started earlier may have read the new slot's bits before they were set, and would then find the old slot gone.
	 */
	if (ctx->places)
		root__wait(ctx->place[0].nic->root);
	for (unsigned i = 0; i < ctx->places; i++)
		remove_old_slot(ctx, &ctx->place[i]);
	ctx->rule = change.next->rule;
	for (unsigned i = 0; i < ctx->places; i++)
		publish(ctx, &ctx->place[i], change.slot[i]);
	if (ctx->ring_delivery)
		ring__take_added(ctx->ring_delivery);
	swap__finish(ctx, change.next);
	return 0;
}
