/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Attaches contexts (loaded packet handlers with a match rule) to an interface and detaches them while packets of other contexts flow.
 * Called by applications (spin_ctx__attach(), spin_ctx__detach()). If a step fails, the earlier steps are undone.
 */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include <hwmodel/rules.h>

#include "user/libspin/card/card.h"
#include "user/libspin/hpu/hpus.h"
#include "user/libspin/interface.h"
#include "user/libspin/internal.h"
#include "user/libspin/messages/messages.h"
#include "user/libspin/requests/egress.h"
#include "user/libspin/requests/requests.h"
#include "user/libspin/ring/ring.h"
#include "user/libspin/root.h"
#include "user/libspin/socket.h"

int attach__find_slot(const struct spin_nic *nic, const struct spin_ctx *ctx, const struct spin_ctx *except, unsigned *slot)
{
	char mine[256], theirs[256];

	*slot = SPIN_CONTEXTS_MAX;
	for (unsigned i = SPIN_CONTEXTS_MAX; i-- > 0;) {
		const struct spin_ctx *other = nic->slot[i];

		if (!other) {
			*slot = i;
			continue;
		}
		if (other == except || !rules__overlap(&ctx->rule, &other->rule))
			continue;
		spin_rule__format(&ctx->rule, mine, sizeof(mine));
		spin_rule__format(&other->rule, theirs, sizeof(theirs));
		return spin_fail(-EEXIST,
				 "the rule of %s (%s) overlaps with that of %s (%s) on %s: a packet belongs to "
				 "one context, so make the rules disjoint",
				 ctx->name, mine, other->name, theirs, nic->name);
	}
	if (*slot == SPIN_CONTEXTS_MAX)
		return spin_fail(-ENOSPC, "%s has %d contexts, the most an interface can have", nic->name, SPIN_CONTEXTS_MAX);
	return 0;
}

/* Detaches the dispatcher with the last context. */
static void free_slot(struct spin_nic *nic, unsigned slot)
{
	nic->slot[slot] = NULL;
	if (!--nic->contexts)
		root_attach__detach(nic);
}

static void remove_from_slot(struct spin_nic *nic, unsigned slot)
{
	free_slot(nic, slot);
	root__remove(nic->root, slot);
}

/* Refuses what the program array would refuse: programs of contexts must have the same flags as the program that tail-calls them. */
static int check_sharing(const struct spin_nic *nic, const struct spin_ctx *ctx)
{
	if (nic->is_shared && ctx->guard)
		return spin_fail(-EOPNOTSUPP, "handlers of a socket cannot be on %s, which is shared with programs of others", nic->name);
	if (nic->is_shared != ctx->is_shared)
		return spin_fail(
			-EINVAL,
			"%s was made for an interface that is %sshared with programs of others, and %s is%s: a context is on interfaces "
			"of one kind",
			ctx->name, ctx->is_shared ? "" : "not ", nic->name, nic->is_shared ? "" : " not");
	return 0;
}

/* Returns the program that the dispatcher tail-calls for the context. */
static int entry_fd(const struct spin_ctx *ctx)
{
	if (ctx->guard)
		return guard__program_fd(ctx->guard);
	return ctx->ring_delivery ? ring__program_fd(ctx->ring_delivery) : ctx->prog_fd;
}

/*
 * Adds the context to the interface. The tap is installed before the first packet and removed after the last, so that its packets match the
 * counters.
 */
static int join(struct spin_nic *nic, struct spin_ctx *ctx, struct spin_place *place)
{
	int has_queues = ctx->hpus == SPIN_HPUS_QUEUE && nic->ifindex;
	unsigned *slot = &place->slot;
	int err = root_attach__check(nic);

	if (!err && nic->used == SPIN_MODE_OFFLOAD)
		err = spin_fail(-EBUSY, "%s has a context on its card, which excludes others: detach that first", nic->name);
	if (!err && nic->wanted == SPIN_MODE_OFFLOAD)
		err = spin_fail(-EINVAL, "%s was created before %s was set to offload: create it again", ctx->name, nic->name);

	if (!err)
		err = check_sharing(nic, ctx);
	if (!err)
		err = attach__find_slot(nic, ctx, NULL, slot);
	if (!err)
		err = root_attach__load(nic);
	if (err)
		return err;
	err = tap__join(ctx, place, place->slot);
	if (err)
		goto detach;
	err = root__add(nic->root, *slot, &ctx->rule, entry_fd(ctx), ctx->needs_tailroom && !ctx->guard);
	if (err)
		goto untap;
	if (nic->ifindex && !root_attach__is_attached(nic)) {
		err = root_attach__attach(nic);
		if (err)
			goto remove;
	}
	nic->slot[*slot] = ctx;
	nic->contexts++;
	if (has_queues) {
		err = queues__thread(nic);
		if (err)
			goto free_slot;
	}
	err = egress__join(ctx, place);
	if (!err)
		return 0;

	if (has_queues)
		queues__unthread(nic);
free_slot:
	free_slot(nic, *slot);
remove:
	root__remove(nic->root, *slot);
untap:
	tap__leave(ctx, place, place->slot);
detach:
	if (!nic->contexts)
		root_attach__detach(nic);
	return err;
}

/* Removes the context from an interface. Afterwards none of its packets runs the handlers. */
static void leave_nic(struct spin_ctx *ctx, struct spin_place *place)
{
	pthread_mutex_lock(&place->nic->lock);
	egress__leave(ctx, place);
	if (ctx->hpus == SPIN_HPUS_QUEUE && place->nic->ifindex)
		queues__unthread(place->nic);
	remove_from_slot(place->nic, place->slot);
	tap__leave(ctx, place, place->slot);
	pthread_mutex_unlock(&place->nic->lock);
	if (ctx->loads && ctx->places == 1) {
		spread__drain(ctx);
		root__wait(place->nic->root);
	}
	nic__release(place->nic);
}

/*
 * Detaches a socket's context from interfaces that are gone, so that their slots can be reused. For other contexts spin_ctx__alive()
 * reports that an interface is gone.
 */
static void leave_deleted_nics(struct spin_ctx *ctx)
{
	char name[IF_NAMESIZE];

	for (unsigned i = ctx->places; ctx->guard && i-- > 0;) {
		if (if_indextoname((unsigned)ctx->place[i].nic->ifindex, name))
			continue;
		leave_nic(ctx, &ctx->place[i]);
		ctx->place[i] = ctx->place[--ctx->places];
	}
}

/* Adds one interface. The first one starts the context's threads. On failure the context is as before. */
static int attach_to(struct spin_ctx *ctx, struct spin_nic *nic)
{
	struct spin_place *place;
	int err;

	leave_deleted_nics(ctx);
	place = &ctx->place[ctx->places];
	for (unsigned i = 0; i < ctx->places; i++)
		if (ctx->place[i].nic == nic)
			return spin_fail(-EALREADY, "%s is attached to %s already", ctx->name, nic->name);
	if (ctx->places == SPIN_NICS_MAX)
		return spin_fail(-E2BIG, "%s is attached to %d interfaces, the most a context can have", ctx->name, SPIN_NICS_MAX);
	err = nic->ifindex ? spin_messages__start(ctx) : 0;
	if (!err && nic->ifindex) {
		err = spin_requests__start(ctx);
		if (err && !ctx->places)
			spin_messages__stop(ctx);
	}
	if (err)
		return err;
	place->nic = nic;
	nic__hold(nic);
	pthread_mutex_lock(&nic->lock);
	err = join(nic, ctx, place);
	pthread_mutex_unlock(&nic->lock);
	if (!err) {
		ctx->places++;
		return 0;
	}
	nic__release(nic);
	if (!ctx->places) {
		spin_requests__stop(ctx);
		spin_messages__stop(ctx);
	}
	return err;
}

/* Attaches the card's program. It is the only program on the interface: there is no dispatcher. */
static int attach_card(struct spin_ctx *ctx)
{
	struct spin_nic *nic = ctx->nic;
	int err;

	pthread_mutex_lock(&nic->lock);
	if (card__alive(ctx->card) > 0)
		err = spin_fail(-EALREADY, "%s is attached to %s already", ctx->name, nic->name);
	else if (nic->contexts)
		err = spin_fail(-EBUSY, "%s has a context already, and with one on the card it has no other: detach that first", nic->name);
	else
		err = card__attach(ctx->card);
	if (!err) {
		nic->contexts++;
		nic->used = SPIN_MODE_OFFLOAD;
	}
	pthread_mutex_unlock(&nic->lock);
	return err;
}

static void detach_card(struct spin_ctx *ctx)
{
	struct spin_nic *nic = ctx->nic;

	pthread_mutex_lock(&nic->lock);
	if (card__is_attached(ctx->card)) {
		card__detach(ctx->card);
		nic->contexts--;
		nic->used = SPIN_MODE_AUTO;
	}
	pthread_mutex_unlock(&nic->lock);
}

int spin_ctx__attach(struct spin_ctx *ctx)
{
	if (ctx->remote)
		return remote__attach(ctx);
	if (ctx->card && ctx->nic)
		return attach_card(ctx);
	if (ctx->streams)
		return streams__attach(ctx);
	if (!ctx->nic)
		return spin_fail(-EINVAL, "this context was made without an interface: it runs given packets only");
	return attach_to(ctx, ctx->nic);
}

int spin_ctx__attach_also(struct spin_ctx *ctx, struct spin_nic *nic)
{
	struct iface iface;

	if (!ctx->nic)
		return spin_fail(-EINVAL, "this context was made without an interface: it runs given packets only");
	if (ctx->ring_delivery && nic != ctx->nic)
		return spin_fail(-EOPNOTSUPP, "%s has a ring, which has the queues of %s: create a context for %s", ctx->name,
				 ctx->nic->name, nic->name);
	if (ctx->card)
		return card__cannot(ctx, "second interface: each card has a program of its own");
	if (ctx->hpus == SPIN_HPUS_QUEUE)
		return spin_fail(-EINVAL,
				 "%s has the queues of %s as HPUs, and those of %s have the same numbers: take CPUs "
				 "as HPUs",
				 ctx->name, ctx->nic->name, nic->name);
	/* fine for a socket's context: the kernel verifies the checksum of what is delivered to it */
	if (ctx->takes_partial && !nic->is_virtual && !ctx->guard)
		return spin_fail(-EINVAL,
				 "%s is hardware and %s is not: %s would take wrong checksums for a local sender's; "
				 "create it with strict_checksums",
				 nic->name, ctx->nic->name, ctx->name);
	if (ctx->direct_bytes && !iface__read(nic, &iface) && iface.mtu > ctx->direct_bytes)
		spin_log("%s takes packets of at most %u bytes, and %s has an MTU of %u: longer ones pass without handlers", ctx->name,
			 ctx->direct_bytes, nic->name, iface.mtu);
	return attach_to(ctx, nic);
}

int spin_ctx__detach(struct spin_ctx *ctx)
{
	if (ctx->remote)
		return remote__detach(ctx);
	if (ctx->card && ctx->nic)
		detach_card(ctx);
	if (ctx->streams)
		streams__detach(ctx);
	while (ctx->places) {
		leave_nic(ctx, &ctx->place[ctx->places - 1]);
		ctx->places--;
	}
	spin_requests__stop(ctx);
	spin_messages__stop(ctx);
	return 0;
}

int spin_ctx__alive(struct spin_ctx *ctx)
{
	int err;

	if (ctx->remote)
		return remote__alive(ctx);
	if (ctx->card)
		return card__alive(ctx->card);
	if (ctx->streams)
		return streams__attached(ctx);
	err = spin_messages__failure(ctx);
	if (!err)
		err = spin_requests__failure(ctx);
	if (err)
		return err;
	for (unsigned i = 0; i < ctx->places; i++) {
		pthread_mutex_lock(&ctx->place[i].nic->lock);
		err = root_attach__check(ctx->place[i].nic);
		pthread_mutex_unlock(&ctx->place[i].nic->lock);
		if (err)
			return err;
	}
	return ctx->places > 0;
}
