/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Serves spind's requests about attached handlers from clients other than the program that they belong to: open, stop, replace, change the
 * rule (operate.h). Called by client.c. Only the owner's user and root may send them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "user/libspin/error.h"
#include "user/libspin/share.h"
#include "user/spind/answer.h"
#include "user/spind/context.h"
#include "user/spind/journal.h"
#include "user/spind/operate.h"

static int check_owner(const struct client *client, const struct held *held)
{
	if (!client->handoff.uid || client->handoff.uid == held->uid)
		return 0;
	return spin_fail(-EPERM, "context %u is user %u's: only that user and root may operate it", held->id, held->uid);
}

static void send_done(const struct client *client)
{
	struct broker_answer out;

	answer__begin(&out);
	out.id = client->handoff.request.id;
	answer__send(client->fds[0], &out, NULL, 0);
}

static int open_held(void *arg, struct held *held)
{
	const struct client *client = arg;
	int err = check_owner(client, held);

	if (err)
		return err;
	pthread_mutex_lock(&held->use);
	answer__memories(client->fds[0], held, 1);
	pthread_mutex_unlock(&held->use);
	return 0;
}

struct stop {
	const struct client *client;
	uint32_t owner;
};

static int stop_held(void *arg, struct held *held)
{
	struct stop *stop = arg;
	int err = check_owner(stop->client, held);

	stop->owner = held->uid;
	if (!err)
		shutdown(held->connection, SHUT_RDWR); /* its thread then ends the context, as if the client had disconnected */
	return err;
}

static int stop(struct client *client)
{
	const uint32_t id = client->handoff.request.id;
	struct stop stop = { .client = client };
	int err = held__with(id, stop_held, &stop);

	for (int i = 0; !err && i < 1000 && held__exists(id); i++)
		usleep(10000);
	if (!err && held__exists(id))
		return spin_fail(-ETIMEDOUT, "context %u has not ended in ten seconds", id);
	if (err)
		return err;
	send_done(client);
	journal__say_of(client->handoff.uid, client->handoff.pid, "has stopped context %u of user %u", id, stop.owner);
	return 0;
}

struct swap {
	struct client *client;
	struct spin_object *obj;
	uint64_t map_bytes;
	int is_migration;        /* 1: MIGRATE */
	uint64_t retry_after_ns; /* if not 0, try again after this time */
	struct spin_migration report;
};

/* To replace the handlers of a trusted context, the client must be trusted as well. */
static int check_swap(void *arg, struct held *held)
{
	const struct client *client = arg;
	int err = check_owner(client, held);

	if (!err && held->class == SPIN_CLASS_TRUSTED && !client->handoff.trusted)
		err = spin_fail(
			-EPERM,
			"context %u is trusted, and user %u is not: only members of `trusted-group` of spind.conf replace its handlers",
			held->id, client->handoff.uid);
	return err;
}

#define TRY_NS 8000000ull /* packets wait at most this long in a try (struct spin_migration) */

/* Returns how long packets may have waited. A failure counts as at least one try. */
static uint64_t stall_ns(const struct spin_migration *report, int err)
{
	if (err)
		return (report->tries ? report->tries : 1) * TRY_NS;
	return report->wait_ns + (report->tries > 1 ? (report->tries - 1) * TRY_NS : 0);
}

static int migrate(struct swap *swap, struct held *held)
{
	int err;

	swap->retry_after_ns = context__lock_migration(swap->client->handoff.uid);
	if (swap->retry_after_ns)
		return -EAGAIN;
	err = spin_ctx__migrate(held->ctx, swap->obj, &swap->report);
	context__unlock_migration(swap->client->handoff.uid, stall_ns(&swap->report, err));
	return err;
}

static int replace(struct swap *swap, struct held *held)
{
	int err;

	context__lock_loads(swap->client->handoff.uid);
	err = spin_ctx__swap(held->ctx, swap->obj);
	context__unlock_loads(swap->client->handoff.uid);
	return err;
}

static void say_swapped(const struct swap *swap, const struct held *held)
{
	const struct handoff *from = &swap->client->handoff;
	const char *handler = spin_object__meta(swap->obj)->name;

	if (swap->is_migration)
		journal__say_of(from->uid, from->pid, "has moved context %u of user %u to %s: %llu bytes, lost: %s", held->id, held->uid,
				handler, (unsigned long long)swap->report.moved_bytes,
				swap->report.lost[0] ? swap->report.lost : "nothing");
	else
		journal__say_of(from->uid, from->pid, "has replaced the handlers of context %u of user %u by %s", held->id, held->uid,
				handler);
}

/* Replaces the handlers of a context, with or without moving its state. Called with the context kept alive (held__with()). */
static int swap_held(void *arg, struct held *held)
{
	struct swap *swap = arg;
	struct share_memories memories;
	int err = check_swap(swap->client, held);

	if (err)
		return err;
	pthread_mutex_lock(&held->use);
	/* the context keeps its host memory, so the request's host_bytes do not count */
	share__memories(held->ctx, &memories);
	err = context__check_object(swap->client, swap->obj, share__takes_tcp(held->ctx), memories.host_bytes, &swap->map_bytes);
	if (err) {
		pthread_mutex_unlock(&held->use);
		return err;
	}
	err = swap->is_migration ? migrate(swap, held) : replace(swap, held);
	if (!err) /* under held->use, since it closes the old descriptor */
		held__set_object(held, swap->client->fds[1], spin_object__meta(swap->obj)->name, swap->map_bytes);
	if (!err && swap->is_migration)
		answer__moved(held->connection);
	pthread_mutex_unlock(&held->use);
	if (!err)
		say_swapped(swap, held);
	return err;
}

/* Sleeps here until the user may migrate again, so that others can use and stop the context. */
static int swap_when_allowed(struct swap *swap)
{
	for (;;) {
		const int err = held__using(swap->client->handoff.request.id, swap_held, swap);

		if (!swap->retry_after_ns)
			return err;
		usleep((useconds_t)((swap->retry_after_ns + 999) / 1000));
		swap->retry_after_ns = 0;
	}
}

/* SWAP and MIGRATE: replaces a context's handlers and sends the answer. Returns -errno with a reason if nothing was replaced. */
static int swap(struct client *client)
{
	struct swap swap = { .client = client,
			     .is_migration = client->handoff.request.op == BROKER_MIGRATE,
			     .report.bytes = sizeof(swap.report) };
	struct broker_answer out;
	int err;

	if (client->count != 2)
		return spin_fail(-EINVAL, "SWAP and MIGRATE come with one descriptor, the object");
	err = held__with(client->handoff.request.id, check_swap, client);
	if (!err)
		err = context__read_object(client->fds[1], &swap.obj);
	if (!err)
		err = swap_when_allowed(&swap);
	spin_object__close(swap.obj);
	if (err)
		return err;
	client->fds[1] = -1; /* now owned by the context */
	answer__begin(&out);
	out.id = client->handoff.request.id;
	out.moved_bytes = swap.report.moved_bytes;
	out.late_bytes = swap.report.late_bytes;
	out.wait_ns = swap.report.wait_ns;
	out.tries = swap.report.tries;
	snprintf(out.text, sizeof(out.text), "%s", swap.report.lost);
	answer__send(client->fds[0], &out, NULL, 0);
	return 0;
}

/* SET_RULE: replaces the rule of a context and sends the answer. */
static int set_held_rule(void *arg, struct held *held)
{
	struct client *client = arg;
	struct spin_rule rule;
	char text[sizeof(held->rule)];
	int err = check_owner(client, held);

	client->handoff.request.rule[sizeof(client->handoff.request.rule) - 1] = '\0';
	if (!err)
		err = spin_rule__parse(client->handoff.request.rule, &rule);
	if (err)
		return err;
	pthread_mutex_lock(&held->use);
	context__lock_loads(client->handoff.uid);
	err = spin_ctx__set_rule(held->ctx, &rule);
	context__unlock_loads(client->handoff.uid);
	if (!err) {
		spin_rule__format(share__rule(held->ctx), text, sizeof(text));
		held__set_rule(held, text);
	}
	pthread_mutex_unlock(&held->use);
	if (!err) {
		send_done(client);
		journal__say_of(client->handoff.uid, client->handoff.pid, "has set the rule of context %u of user %u: %s", held->id,
				held->uid, text);
	}
	return err;
}

void operate__serve(struct client *client)
{
	int err;

	switch (client->handoff.request.op) {
	case BROKER_OPEN:
		err = held__using(client->handoff.request.id, open_held, client);
		break;
	case BROKER_STOP:
		err = stop(client);
		break;
	case BROKER_SWAP:
	case BROKER_MIGRATE:
		err = swap(client);
		break;
	case BROKER_SET_RULE:
		err = held__using(client->handoff.request.id, set_held_rule, client);
		break;
	default:
		err = spin_fail(-EOPNOTSUPP, "spind does not know request %u", client->handoff.request.op);
	}
	if (err)
		answer__refuse(client->fds[0], &client->handoff, err, spin_strerror_last());
}
