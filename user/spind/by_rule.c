/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Serves requests of root to attach handlers to an interface by a match rule, without a socket (by_rule.h). Called by client.c, in the
 * thread of the client that asks. Handlers on a socket have a guard, a program that gives them only that socket's packets; these have none:
 * all packets that match the rule are theirs.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "user/libspin/error.h"
#include "user/libspin/share.h"
#include "user/spind/answer.h"
#include "user/spind/by_rule.h"
#include "user/spind/context.h"
#include "user/spind/host.h"
#include "user/spind/journal.h"

#define CHECK_MS 250 /* how often a holder checks that the interface still exists */

/* Creates the context that the request describes and attaches it to the interface. */
static int create_context(struct client *client, struct spin_object **obj, struct held *held)
{
	struct broker_request *request = &client->handoff.request;
	struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = request->class, .name = request->name[0] ? request->name : NULL };
	struct spin_nic *nic = NULL;
	struct spin_rule rule;
	int err;

	request->interface[sizeof(request->interface) - 1] = request->rule[sizeof(request->rule) - 1] = '\0';
	err = client->count == 3 ? context__check_class(client)
				 : spin_fail(-EINVAL, "ADD comes with two descriptors, the namespace and the object");
	if (!err)
		err = context__check_name(request->name);
	if (!err)
		err = spin_rule__parse(request->rule, &rule);
	if (!err)
		err = context__read_object(client->fds[2], obj);
	if (!err) /* the rule is checked with the object when the context is created */
		err = context__check_object(client, *obj, spin_object__meta(*obj)->registration.delivery == SPIN_DELIVER_SEGMENTS,
					    client->handoff.request.host_bytes, &held->map_bytes);
	if (!err)
		err = host__interface(request->interface, &nic);
	opts.message.host_bytes = request->host_bytes;
	if (!err)
		err = spin_ctx__create_opts(nic, *obj, &rule, &opts, &held->ctx);
	if (!err)
		err = spin_ctx__attach(held->ctx);
	if (!err)
		held__set_attached(held, request->interface);
	if (nic)
		spin_nic__close(nic);
	return err;
}

/* Returns when the context is stopped or its interface is gone. */
static void wait_for_end(struct held *held)
{
	struct pollfd wait = { .fd = held->connection, .events = POLLIN };
	int err = 0;

	while (poll(&wait, 1, CHECK_MS) <= 0 && !err) {
		pthread_mutex_lock(&held->use);
		err = spin_ctx__alive(held->ctx) < 0;
		if (err)
			journal__say(JOURNAL_WARNING, "context %u ends: %s", held->id, spin_strerror_last());
		pthread_mutex_unlock(&held->use);
	}
}

void by_rule__serve(struct client *client)
{
	struct held held = {
		.uid = client->handoff.uid, .pid = client->handoff.pid, .connection = -1, .object_fd = -1, .use = PTHREAD_MUTEX_INITIALIZER
	};
	struct spin_object *obj = NULL;
	int pair[2] = { -1, -1 }, err = create_context(client, &obj, &held);

	if (!err && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		err = spin_fail(-errno, "spind has no descriptor left: %s", strerror(errno));
	if (err) {
		answer__refuse(client->fds[0], &client->handoff, err, spin_strerror_last());
	} else {
		held.connection = pair[0]; /* stop_held() shuts it down */
		context__fill(&held, client, obj);
		pthread_mutex_lock(&held.use);
		held__add(&held);
		answer__result(client->fds[0], &held, BROKER_ADD, 0);
		pthread_mutex_unlock(&held.use);
		broker__close(client->fds, 2);
		context__say_begin(&held);
		wait_for_end(&held);
		held__remove(&held);
		context__say_end(&held);
	}
	broker__close(pair, 2);
	spin_ctx__destroy(held.ctx);
	spin_object__close(obj);
	broker__close(&held.object_fd, 1);
}
