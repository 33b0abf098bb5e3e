/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Clients' connections up to their first request (front.h). One thread, which waits for no client: a connection that sends nothing is
 * closed after some seconds, and a user has only so many of them.
 */
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "user/spind/answer.h"
#include "user/spind/facts.h"
#include "user/spind/front.h"
#include "user/spind/holders.h"
#include "user/spind/startup.h"

#define WAITING_MAX     1024 /* connections without a request, of all users */
#define REQUEST_SECONDS 5
#define GROUPS_MAX      1024
#define STARTUP_SECONDS 5 /* between two tries to add contexts of the configuration */

struct waiting {
	int fd;
	struct ucred who;
	time_t since;
};

static const struct settings *settings;
static struct waiting waiting[WAITING_MAX];
static unsigned count;

static void drop(unsigned i)
{
	close(waiting[i].fd);
	waiting[i] = waiting[--count];
}

static void accept_client(int listen_fd)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	struct ucred who;
	socklen_t bytes = sizeof(who);
	unsigned of_user = 0;

	if (fd < 0)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes)) {
		close(fd);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		of_user += waiting[i].who.uid == who.uid;
	if (of_user >= settings->connections || count == WAITING_MAX) {
		answer__refuse(fd, -EBUSY, "too many connections to spind wait for their first request: try again");
		close(fd);
		return;
	}
	waiting[count++] = (struct waiting){ .fd = fd, .who = who, .since = time(NULL) };
}

/* Root, and members of the group that is trusted. */
static int is_trusted(const struct waiting *client)
{
	gid_t groups[GROUPS_MAX];
	socklen_t bytes = sizeof(groups);

	if (!client->who.uid)
		return 1;
	if (settings->trusted_group == (gid_t)-1)
		return 0;
	if (client->who.gid == settings->trusted_group)
		return 1;
	if (getsockopt(client->fd, SOL_SOCKET, SO_PEERGROUPS, groups, &bytes))
		return 0;
	for (size_t i = 0; i < bytes / sizeof(groups[0]); i++)
		if (groups[i] == settings->trusted_group)
			return 1;
	return 0;
}

static uint64_t own_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/net", &st) ? 0 : st.st_ino;
}

/* NULL, or why the user cannot have one more context. */
static const char *over_quota(const struct order *order, char *text, size_t text_bytes)
{
	struct order ask = { .uid = order->uid };
	struct receipt sum;

	holders__give_all(&ask, NULL, 0, &sum);
	if (order->uid && sum.of_user >= settings->contexts)
		snprintf(text, text_bytes, "user %u has %u contexts, and spind gives a user %u (`contexts` of spind.conf): end one first",
			 order->uid, sum.of_user, settings->contexts);
	else if (sum.contexts >= settings->all_contexts)
		snprintf(text, text_bytes, "there are %u contexts, the most that spind holds (`all-contexts` of spind.conf)", sum.contexts);
	else
		return NULL;
	return text;
}

static void create(const struct waiting *client, struct order *order, const int *fds, unsigned fd_count)
{
	struct receipt receipt = { 0 };
	char text[256];
	int ns, err;

	if (fd_count != 3) {
		answer__refuse(client->fd, -EINVAL, "CREATE and ADD come with two descriptors, the socket or namespace and the object");
		return;
	}
	if (order->request.op == BROKER_ADD)
		ns = facts__open_namespace(fds[1], &order->netns, text, sizeof(text));
	else
		ns = facts__namespace(fds[1], &order->netns, text, sizeof(text));
	if (ns < 0) {
		answer__refuse(client->fd, ns, text);
		return;
	}
	if (!settings->namespaces && order->uid && order->netns != own_namespace()) {
		err = -EPERM;
		snprintf(text, sizeof(text),
			 "the socket is of another network namespace than spind, which takes its own alone (`namespaces` of spind.conf)");
	} else if (over_quota(order, text, sizeof(text))) {
		err = -EDQUOT;
	} else {
		err = holders__give(order->netns, ns, order, fds, fd_count, &receipt);
		if (!err && !receipt.taken)
			err = -EAGAIN;
		if (err)
			snprintf(text, sizeof(text), "spind cannot start or reach its process for the namespace: %s", strerror(-err));
	}
	close(ns);
	if (err)
		answer__refuse(client->fd, err, text);
}

static void end_list(int connection)
{
	struct broker_answer end = { .magic = BROKER_MAGIC, .version = BROKER_VERSION };

	broker__send(connection, &end, sizeof(end), NULL, 0, MSG_DONTWAIT);
}

static void take(const struct waiting *client, struct order *order, const int *fds, unsigned fd_count)
{
	struct receipt sum;
	char text[96];

	order->uid = client->who.uid;
	order->pid = (uint32_t)client->who.pid;
	order->trusted = (uint32_t)is_trusted(client);
	switch (order->request.op) {
	case BROKER_ADD:
		if (order->uid) {
			answer__refuse(client->fd, -EPERM,
				       "only root adds contexts by interface and rule: attach handlers to a socket instead");
			return;
		}
		create(client, order, fds, fd_count);
		return;
	case BROKER_CREATE:
		create(client, order, fds, fd_count);
		return;
	case BROKER_LIST:
		holders__give_all(order, fds, fd_count, &sum);
		end_list(client->fd);
		return;
	case BROKER_OPEN:
	case BROKER_STOP:
	case BROKER_SWAP:
		if (holders__give_all(order, fds, fd_count, &sum))
			return;
		snprintf(text, sizeof(text), "there is no context %u: `spinctl list` shows those that are", order->request.id);
		answer__refuse(client->fd, -ENOENT, text);
		return;
	default:
		answer__refuse(client->fd, -EINVAL, "the first request of a connection is CREATE, ADD, LIST, OPEN, STOP or SWAP");
	}
}

/* Reads the first request; the connection is the holder's afterwards, or closed. */
static void read_request(unsigned i)
{
	struct order order = { 0 };
	int fds[1 + BROKER_FDS];
	unsigned fd_count;
	ssize_t got = broker__receive(waiting[i].fd, &order.request, sizeof(order.request), fds + 1, &fd_count, MSG_DONTWAIT);

	if (got == -EAGAIN)
		return;
	fds[0] = waiting[i].fd;
	if (got == sizeof(order.request) && order.request.magic == BROKER_MAGIC && order.request.version == BROKER_VERSION &&
	    fd_count < BROKER_FDS)
		take(&waiting[i], &order, fds, fd_count + 1);
	else if (got)
		answer__refuse(waiting[i].fd, -EPROTO, "the request is not one of this version of libspin: update spind and libspin");
	if (got >= 0)
		broker__close(fds + 1, fd_count);
	drop(i);
}

static void expire(void)
{
	const time_t now = time(NULL);

	for (unsigned i = count; i-- > 0;)
		if (now - waiting[i].since > REQUEST_SECONDS)
			drop(i);
}

int front__serve(int listen_fd, struct settings *from)
{
	static struct pollfd wait[2 + WAITING_MAX];
	unsigned missing = from->named;
	time_t next_try = 0;
	sigset_t ends;

	settings = from;
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	wait[0].fd = signalfd(-1, &ends, SFD_CLOEXEC);
	wait[1].fd = listen_fd;
	wait[0].events = wait[1].events = POLLIN;
	for (;;) {
		const unsigned polled = count;

		if (missing && time(NULL) >= next_try) {
			missing = startup__add(from);
			next_try = time(NULL) + STARTUP_SECONDS;
		}

		for (unsigned i = 0; i < polled; i++)
			wait[2 + i] = (struct pollfd){ .fd = waiting[i].fd, .events = POLLIN };
		if (poll(wait, 2 + polled, 1000) < 0 && errno != EINTR)
			return 1;
		if (wait[0].revents)
			return 0;
		for (unsigned i = polled; i-- > 0;) /* from the end: the last one takes the place of one that is dropped */
			if (wait[2 + i].revents)
				read_request(i);
		if (wait[1].revents)
			accept_client(listen_fd);
		expire();
	}
}
