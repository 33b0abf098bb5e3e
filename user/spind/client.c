/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Serves one client, in a thread of a holder (spind's process for one network namespace): creates the requested context (loaded packet
 * handlers), sends descriptors of its memories, and attaches and detaches it until the connection or the socket is closed. Called by
 * holder.c. Everything about the socket is read from its descriptor. Of the request only checked fields are used.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "user/libspin/error.h"
#include "user/libspin/guard.h"
#include "user/libspin/share.h"
#include "user/libspin/streams/streams.h"
#include "user/spind/answer.h"
#include "user/spind/by_rule.h"
#include "user/spind/client.h"
#include "user/spind/context.h"
#include "user/spind/facts.h"
#include "user/spind/held.h"
#include "user/spind/host.h"
#include "user/spind/journal.h"
#include "user/spind/operate.h"

#define CHECK_MS 250 /* how often a holder checks that a socket is still open */

/* --- the context --- */

/* Handlers of TCP segments run on packets, behind a guard, as those of datagrams; other handlers of a TCP socket get streams. */
static int takes_streams(const struct facts *facts, const struct spin_object *obj)
{
	return facts->is_tcp && spin_object__meta(obj)->registration.delivery != SPIN_DELIVER_SEGMENTS;
}

/* The arguments of create_ctx(). */
struct creation {
	const struct client *client;
	const struct facts *facts;
	const struct spin_object *obj;
	struct spin_ctx **out;
};

/* Creates the context of a socket: for TCP as a stream, else for the interfaces that it receives from. */
static int create_ctx(const struct creation *c, struct spin_ctx *share)
{
	const struct broker_request *request = &c->client->handoff.request;
	struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = request->class, .name = request->name[0] ? request->name : NULL };
	const int is_stream = takes_streams(c->facts, c->obj);
	struct spin_nic *nics[HOST_INTERFACES_MAX];
	int count = 0, err;

	if (!is_stream)
		count = host__interfaces(c->client->settings, c->facts->ifindex, nics);
	if (count < 0)
		return count;
	opts.message.host_bytes = request->host_bytes;
	context__lock_loads(c->client->handoff.uid);
	/* a stream has no interface, and no rule that matches packets */
	err = is_stream ? spin_streams__create(c->obj, &c->facts->rule, &opts, share, c->out)
			: share__create(nics, (unsigned)count, c->obj, &c->facts->rule, &opts, share, c->out);
	context__unlock_loads(c->client->handoff.uid);
	host__close(nics, count);
	return err;
}

/* Only a context's owner may share its state; this holds for root's contexts as well. */
static int create_sharing(void *arg, struct held *other)
{
	const struct creation *c = arg;
	int err;

	if (c->client->handoff.uid != other->uid)
		return spin_fail(-EPERM, "context %u is user %u's: only that user's contexts may share its state", other->id, other->uid);
	if (c->client->handoff.request.class != other->class)
		return spin_fail(-EINVAL, "context %u is %s: contexts that share a state have one class", other->id,
				 spin_class_name(other->class));
	pthread_mutex_lock(&other->use);
	err = create_ctx(c, other->ctx);
	pthread_mutex_unlock(&other->use);
	return err;
}

static int create(const struct client *client, const struct facts *facts, const struct spin_object *obj, struct spin_ctx **out)
{
	struct creation c = { client, facts, obj, out };

	return client->handoff.request.share ? held__using(client->handoff.request.share, create_sharing, &c) : create_ctx(&c, NULL);
}

static int attach_to(struct held *held, struct spin_nic *nic)
{
	return nic == spin_ctx__nic(held->ctx) ? spin_ctx__attach(held->ctx) : spin_ctx__attach_also(held->ctx, nic);
}

static void append_name(char *names, size_t bytes, struct spin_nic *nic)
{
	const size_t length = strlen(names);

	snprintf(names + length, bytes - length, "%s%s", length ? " " : "", spin_nic__name(nic));
}

/* Attaches to every interface that the socket receives packets from; if one fails, to none. */
static int attach(const struct client *client, const struct facts *facts, struct held *held)
{
	struct spin_nic *nics[HOST_INTERFACES_MAX];
	char names[sizeof(held->interfaces)] = "";
	int count, err = 0;

	if (share__takes_streams(held->ctx)) {
		err = spin_ctx__attach(held->ctx);
		held__set_attached(held, err ? NULL : "all interfaces");
		return err;
	}
	held->changes = host__changes();
	count = host__interfaces(client->settings, facts->ifindex, nics);
	if (count < 0)
		return count;
	for (int i = 0; i < count && !err; i++) {
		err = attach_to(held, nics[i]);
		append_name(names, sizeof(names), nics[i]);
	}
	host__close(nics, count);
	if (err)
		spin_ctx__detach(held->ctx);
	held__set_attached(held, err ? NULL : names);
	return err;
}

/* Attaches to interfaces that have got an address since the last look. One that cannot be attached is skipped with a message. */
static void attach_new_interfaces(const struct client *client, const struct facts *facts, struct held *held)
{
	struct spin_nic *nics[HOST_INTERFACES_MAX];
	char names[sizeof(held->interfaces)] = "";
	int count;

	if (share__takes_streams(held->ctx) || !held->attached || held->changes == host__changes())
		return;
	pthread_mutex_lock(&held->use);
	held->changes = host__changes();
	count = host__interfaces(client->settings, facts->ifindex, nics);
	for (int i = 0; i < count; i++) {
		const int err = attach_to(held, nics[i]);

		if (!err || err == -EALREADY)
			append_name(names, sizeof(names), nics[i]);
		else
			journal__say(JOURNAL_WARNING, "context %u is not on %s, which has become its socket's: %s", held->id,
				     spin_nic__name(nics[i]), spin_strerror_last());
	}
	if (count >= 0) {
		host__close(nics, count);
		held__set_attached(held, names);
	}
	pthread_mutex_unlock(&held->use);
}

/* --- requests after CREATE --- */

/* Returns 1 to continue, 0 to end the connection. */
static int handle_request(const struct client *client, const struct facts *facts, struct held *held)
{
	struct broker_request request;
	int fds[BROKER_FDS], err;
	unsigned count;
	ssize_t got = broker__receive(held->connection, &request, sizeof(request), fds, &count, MSG_DONTWAIT);

	broker__close(fds, count);
	if (got == -EAGAIN)
		return 1;
	if (got <= 0)
		return 0;
	if (got != sizeof(request) || request.magic != BROKER_MAGIC || request.version != BROKER_VERSION) {
		answer__refuse(held->connection, &client->handoff, -EPROTO, "the request is not one of this version of libspin");
		return 0;
	}
	pthread_mutex_lock(&held->use);
	if (request.op == BROKER_ATTACH)
		err = held->attached ? spin_fail(-EALREADY, "the context is attached already") : attach(client, facts, held);
	else if (request.op == BROKER_DETACH) {
		err = spin_ctx__detach(held->ctx);
		held__set_attached(held, NULL);
	} else
		err = spin_fail(-EINVAL, "the connection has a context, which takes only ATTACH and DETACH");
	answer__result(held->connection, held, request.op, err);
	pthread_mutex_unlock(&held->use);
	return 1;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Serves a context until its client closes the connection, or until the socket is gone. */
static void serve_context(const struct client *client, const struct facts *facts, struct held *held)
{
	struct pollfd wait = { .fd = held->connection, .events = POLLIN };
	uint64_t checked_ms = now_ms();

	for (;;) {
		const int ready = poll(&wait, 1, CHECK_MS);

		if (ready < 0 && errno != EINTR)
			return;
		if (ready > 0 && !handle_request(client, facts, held))
			return;
		if (now_ms() - checked_ms < CHECK_MS) /* also while the client sends requests continuously */
			continue;
		checked_ms = now_ms();
		/* accepted connections outlive the listening socket */
		if (!spin_guard__has_socket(held->ctx) && !spin_streams__count(held->ctx))
			return;
		attach_new_interfaces(client, facts, held);
	}
}

/* Creates the context. Always closes the socket's descriptor: while spind holds one, the client cannot close its socket. */
static int create_context(struct client *client, struct facts *facts, struct spin_object **obj, struct held *held)
{
	char reason[256];
	int socket_fd, err;

	if (client->count != 3)
		return spin_fail(-EINVAL, "CREATE comes with two descriptors, the socket and the object; %u came", client->count - 1);
	socket_fd = client->fds[1];
	err = context__check_class(client);
	if (!err)
		err = context__check_name(client->handoff.request.name);
	if (!err && (err = facts__read(socket_fd, facts, reason, sizeof(reason))))
		spin_fail(err, "%s", reason);
	if (!err)
		err = context__read_object(client->fds[2], obj);
	if (!err)
		err = context__check_object(client, *obj, facts->is_tcp, client->handoff.request.host_bytes, &held->map_bytes);
	if (!err && facts->is_tcp && !takes_streams(facts, *obj))
		facts->rule.protocol = IPPROTO_TCP;
	if (!err)
		err = create(client, facts, *obj, &held->ctx);
	if (!err)
		err = spin_guard__install(held->ctx, socket_fd, host__guards());
	if (!err && share__takes_streams(held->ctx))
		err = spin_streams__install(held->ctx, socket_fd, facts->is_listening, host__guards());
	broker__close(&client->fds[1], 1);
	return err;
}

/* Creates a context for a socket and serves it. Returns when it is destroyed. */
static void serve_create(struct client *client)
{
	struct held held = { .uid = client->handoff.uid,
			     .pid = client->handoff.pid,
			     .connection = client->fds[0],
			     .object_fd = -1,
			     .use = PTHREAD_MUTEX_INITIALIZER };
	struct spin_object *obj = NULL;
	struct facts facts;
	int err = create_context(client, &facts, &obj, &held);

	if (err) {
		answer__refuse(held.connection, &client->handoff, err, spin_strerror_last());
	} else {
		context__fill(&held, client, obj);
		pthread_mutex_lock(&held.use); /* once it is on the list, others can replace its handlers */
		held__add(&held);
		answer__memories(held.connection, &held, 0);
		pthread_mutex_unlock(&held.use);
		context__say_begin(&held);
		serve_context(client, &facts, &held);
		held__remove(&held);
		context__say_end(&held);
	}
	spin_ctx__destroy(held.ctx);
	spin_object__close(obj);
	broker__close(&held.object_fd, 1);
}

void client__serve(struct client *client)
{
	switch (client->handoff.request.op) {
	case BROKER_CREATE:
		serve_create(client);
		break;
	case BROKER_ADD:
		by_rule__serve(client);
		break;
	default:
		operate__serve(client);
	}
	broker__close(client->fds, client->count);
	free(client);
}
