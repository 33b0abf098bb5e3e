/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spind's front process: accepts clients' connections and reads their first request (front.h). Called by main.c. It passes the request on
 * to a holder, the process for one network namespace that loads the handlers. Each connection has a thread, because closing a descriptor
 * that a client sent can take as long as the client likes (a FUSE file, a socket that lingers). Such a thread counts towards its user's
 * limit of connections and delays no other client. Only sockets of UDP and TCP, network namespaces, and sealed memory are passed on to
 * holders.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/spind/answer.h"
#include "user/spind/facts.h"
#include "user/spind/front.h"
#include "user/spind/holders.h"
#include "user/spind/startup.h"

#define CONNECTIONS_MAX 1024 /* of all users but root */
#define REFUSALS_MAX    256  /* threads that only send a refusal */
#define CLOSERS         64   /* threads that close connections beyond these */
#define REQUEST_MS      5000
#define GROUPS_MAX      1024
#define STARTUP_SECONDS 5         /* between two attempts to add the configured contexts */
#define LIST_BYTES      (8 << 20) /* send buffer of a connection, large enough to list all contexts */
#define STACK_BYTES     (256u << 10)

/* A connection and its thread. */
struct connection {
	struct connection *next;
	int fd;
	enum { ADMITTED, USER_HAS_TOO_MANY, ALL_HAVE_TOO_MANY } refused;
	struct ucred cred;
};

static const struct settings *settings;
static const char *path; /* of the listening socket */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct connection *connections;

/* Removes the connection from the list. */
static void remove_connection(struct connection *c)
{
	pthread_mutex_lock(&lock);
	for (struct connection **at = &connections; *at; at = &(*at)->next)
		if (*at == c) {
			*at = c->next;
			break;
		}
	pthread_mutex_unlock(&lock);
}

/* Ends the connection. It counts until it is closed. */
static void end_connection(struct connection *c)
{
	close(c->fd);
	remove_connection(c);
	free(c);
}

/* Returns 1 for root and for members of the trusted group. */
static int is_trusted(const struct connection *client)
{
	gid_t groups[GROUPS_MAX];
	socklen_t bytes = sizeof(groups);

	if (!client->cred.uid)
		return 1;
	if (settings->trusted_group == (gid_t)-1)
		return 0;
	if (client->cred.gid == settings->trusted_group)
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

/* Returns NULL, or the reason why the user cannot have one more context. */
static const char *check_quota(const struct handoff *handoff, char *text, size_t text_bytes)
{
	struct handoff query = { .uid = handoff->uid };
	struct handoff_reply sum;

	holders__send_all(&query, NULL, 0, &sum);
	if (handoff->uid && sum.silent)
		snprintf(text, text_bytes, "a process of spind does not answer, so contexts cannot be counted: try again");
	else if (handoff->uid && sum.of_user >= settings->contexts)
		snprintf(text, text_bytes, "user %u has %u contexts, and spind gives a user %u (`contexts` of spind.conf): end one first",
			 handoff->uid, sum.of_user, settings->contexts);
	else if (handoff->uid && sum.contexts >= settings->all_contexts)
		snprintf(text, text_bytes, "there are %u contexts, the most that spind holds (`all-contexts` of spind.conf)", sum.contexts);
	else
		return NULL;
	return text;
}

/* Closes the client's descriptors before it answers, so that the client alone holds its socket again. */
static void refuse(const struct connection *client, const struct handoff *from, int *fds, unsigned fd_count, int err, const char *text)
{
	holders__close_fds(fds, fd_count);
	answer__refuse(client->fd, from, err, text);
}

/* One request at a time: otherwise several could be counted before the first of them has its context. */
static int send_within_quota(struct handoff *handoff, int ns, int *fds, unsigned fd_count, char *text, size_t text_bytes)
{
	static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
	struct handoff_reply reply = { 0 };
	int err = -EDQUOT;

	pthread_mutex_lock(&counting);
	if (!check_quota(handoff, text, text_bytes)) {
		err = holders__send(handoff->netns, ns, handoff, fds, fd_count, &reply);
		if (!err && !reply.taken)
			err = -EAGAIN;
		if (err)
			snprintf(text, text_bytes, "spind cannot start or reach its process for the namespace: %s", strerror(-err));
	}
	pthread_mutex_unlock(&counting);
	return err;
}

/* Checks a request that creates a context, and passes it to the holder of its network namespace. */
static void send_create(const struct connection *client, struct handoff *handoff, int *fds, unsigned fd_count)
{
	char text[256];
	int ns, err;

	if (fd_count != 3 || !broker__is_sealed(fds[2])) {
		refuse(client, handoff, fds, fd_count, -EINVAL,
		       "CREATE and ADD come with two descriptors, the socket or namespace and the object in a sealed memfd");
		return;
	}
	if (handoff->request.op == BROKER_ADD)
		ns = facts__open_namespace(fds[1], &handoff->netns, text, sizeof(text));
	else
		ns = facts__namespace(fds[1], &handoff->netns, text, sizeof(text));
	if (ns < 0) {
		refuse(client, handoff, fds, fd_count, ns, text);
		return;
	}
	if (!settings->namespaces && handoff->uid && handoff->netns != own_namespace()) {
		err = -EPERM;
		snprintf(text, sizeof(text),
			 "the socket is of another network namespace than spind, which takes its own alone (`namespaces` of spind.conf)");
	} else {
		err = send_within_quota(handoff, ns, fds, fd_count, text, sizeof(text));
	}
	close(ns);
	if (err)
		refuse(client, handoff, fds, fd_count, err, text);
}

static void send_list_end(int connection)
{
	struct broker_answer end = { .magic = BROKER_MAGIC, .version = BROKER_VERSION };

	broker__send(connection, &end, sizeof(end), NULL, 0, MSG_DONTWAIT);
}

/* Passes a request about an existing context to the holder that has it. */
static void send_operation(const struct connection *client, const struct handoff *handoff, int *fds, unsigned fd_count)
{
	struct handoff_reply sum;
	char text[96];

	switch (holders__send_all(handoff, fds, fd_count, &sum)) {
	case 1:
		return;
	case HANDOFF_BUSY:
		answer__refuse(client->fd, handoff, -EBUSY, "this user operates too many contexts at a time: try again");
		return;
	default:
		snprintf(text, sizeof(text), "there is no context %u: `spinctl list` shows those that are", handoff->request.id);
		answer__refuse(client->fd, handoff, -ENOENT, text);
	}
}

/* Passes the first request of a connection to the holders that it concerns, or refuses it. */
static void dispatch_request(const struct connection *client, struct handoff *handoff, int *fds, unsigned fd_count)
{
	struct handoff_reply sum;

	handoff->trusted = (uint32_t)is_trusted(client);
	switch (handoff->request.op) {
	case BROKER_ADD:
		if (handoff->uid) {
			refuse(client, handoff, fds, fd_count, -EPERM,
			       "only root adds contexts by interface and rule: attach handlers to a socket instead");
			return;
		}
		send_create(client, handoff, fds, fd_count);
		return;
	case BROKER_CREATE:
		send_create(client, handoff, fds, fd_count);
		return;
	case BROKER_LIST:
		setsockopt(client->fd, SOL_SOCKET, SO_SNDBUFFORCE, &(int){ LIST_BYTES }, sizeof(int));
		holders__send_all(handoff, fds, 1, &sum);
		send_list_end(client->fd);
		return;
	case BROKER_SWAP:
	case BROKER_MIGRATE:
		if (fd_count != 2 || !broker__is_sealed(fds[1])) {
			refuse(client, handoff, fds, fd_count, -EINVAL,
			       "SWAP and MIGRATE come with one descriptor, the object in a sealed memfd");
			return;
		}
		send_operation(client, handoff, fds, 2);
		return;
	case BROKER_OPEN:
	case BROKER_STOP:
	case BROKER_SET_RULE:
		send_operation(client, handoff, fds, 1);
		return;
	default:
		refuse(client, handoff, fds, fd_count, -EINVAL,
		       "the first request of a connection is CREATE, ADD, LIST, OPEN, STOP, SWAP, MIGRATE or SET_RULE");
	}
}

/* Reads the first request. Afterwards a holder may have the connection as well. */
static void read_request(const struct connection *c)
{
	struct pollfd wait = { .fd = c->fd, .events = POLLIN };
	struct handoff handoff = { .uid = c->cred.uid, .pid = (uint32_t)c->cred.pid };
	int fds[1 + BROKER_FDS] = { c->fd };
	unsigned fd_count = 0;
	ssize_t got;

	if (poll(&wait, 1, REQUEST_MS) <= 0)
		return;
	got = broker__receive(c->fd, &handoff.request, sizeof(handoff.request), fds + 1, &fd_count, MSG_DONTWAIT);
	if (got == sizeof(handoff.request) && handoff.request.magic == BROKER_MAGIC && handoff.request.version == BROKER_VERSION &&
	    fd_count < BROKER_FDS) {
		dispatch_request(c, &handoff, fds, fd_count + 1);
	} else if (got) {
		handoff.request.op = 0; /* not known */
		refuse(c, &handoff, fds, fd_count + 1, -EPROTO,
		       "the request is not one of this version of libspin: update spind and libspin");
	}
	broker__close(fds + 1, fd_count);
}

static void refuse_connection(const struct connection *c)
{
	const struct handoff from = { .uid = c->cred.uid, .pid = (uint32_t)c->cred.pid };
	char text[160];

	if (c->refused == USER_HAS_TOO_MANY)
		snprintf(text, sizeof(text),
			 "user %u has %u connections to spind that wait for their first request (`connections` of spind.conf): try again",
			 c->cred.uid, settings->connections);
	else
		snprintf(text, sizeof(text), "%d connections of all users wait for their first request to spind: try again",
			 CONNECTIONS_MAX);
	answer__refuse(c->fd, &from, -EBUSY, text);
}

static void *serve(void *arg)
{
	struct connection *c = arg;

	if (c->refused)
		refuse_connection(c);
	else
		read_request(c);
	end_connection(c);
	return NULL;
}

static int start_thread(void *(*fn)(void *arg), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	err = pthread_create(&thread, &attr, fn, arg);
	pthread_attr_destroy(&attr);
	return err;
}

/* Adds the connection to the list. Returns -1 if there are so many that no thread can be spent on a refusal. */
static int admit(struct connection *c)
{
	unsigned of_user = 0, all = 0, refused = 0;

	pthread_mutex_lock(&lock);
	for (const struct connection *at = connections; at; at = at->next) {
		of_user += at->cred.uid == c->cred.uid && !at->refused;
		all += !at->refused;
		refused += at->refused;
	}
	if (c->cred.uid && of_user >= settings->connections)
		c->refused = USER_HAS_TOO_MANY;
	else if (c->cred.uid && all >= CONNECTIONS_MAX)
		c->refused = ALL_HAVE_TOO_MANY;
	if (!c->refused || refused < REFUSALS_MAX) {
		c->next = connections;
		connections = c;
		pthread_mutex_unlock(&lock);
		return 0;
	}
	pthread_mutex_unlock(&lock);
	return -1;
}

/*
 * Threads that close connections for which no thread of their own can be spent. Descriptors that a client has sent and nobody has received
 * are closed with their connection, which can take as long as the client likes. It delays only users with the same uid modulo CLOSERS.
 */
static struct closer {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int started;
	struct connection *first;
} closers[CLOSERS] = { [0 ... CLOSERS - 1] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, NULL } };

static void *close_queued(void *arg)
{
	struct closer *closer = arg;
	struct connection *c;

	for (;;) {
		pthread_mutex_lock(&closer->lock);
		while (!closer->first)
			pthread_cond_wait(&closer->wake, &closer->lock);
		c = closer->first;
		closer->first = c->next;
		pthread_mutex_unlock(&closer->lock);
		close(c->fd);
		free(c);
	}
	return arg;
}

static void queue_close(struct connection *c)
{
	struct closer *closer = &closers[c->cred.uid % CLOSERS];

	pthread_mutex_lock(&closer->lock);
	c->next = closer->first;
	closer->first = c;
	if (!closer->started)
		closer->started = !start_thread(close_queued, closer); /* tried again with the next one */
	pthread_cond_signal(&closer->wake);
	pthread_mutex_unlock(&closer->lock);
}

static void accept_client(int listen_fd)
{
	struct connection *c = calloc(1, sizeof(*c));
	socklen_t bytes = sizeof(c->cred);

	if (!c)
		return;
	c->fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (c->fd < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
			usleep(10000); /* the connection stays in the queue, and poll() returns at once */
		free(c);
		return;
	}
	if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &c->cred, &bytes) || admit(c)) {
		queue_close(c);
		return;
	}
	if (start_thread(serve, c)) {
		remove_connection(c);
		queue_close(c);
	}
}

static void *add_configured_contexts(void *arg)
{
	while (startup__add(arg, path))
		sleep(STARTUP_SECONDS);
	return NULL;
}

int front__serve(int listen_fd, const char *socket_path, struct settings *config)
{
	struct pollfd wait[2] = { { .events = POLLIN }, { .fd = listen_fd, .events = POLLIN } };
	sigset_t stop_signals;

	settings = config;
	path = socket_path;
	sigemptyset(&stop_signals);
	sigaddset(&stop_signals, SIGTERM);
	sigaddset(&stop_signals, SIGINT);
	sigprocmask(SIG_BLOCK, &stop_signals, NULL);
	wait[0].fd = signalfd(-1, &stop_signals, SFD_CLOEXEC);
	if (config->named && start_thread(add_configured_contexts, config))
		return 1;
	for (;;) {
		if (poll(wait, 2, -1) < 0 && errno != EINTR)
			return 1;
		if (wait[0].revents)
			return 0;
		if (wait[1].revents)
			accept_client(listen_fd);
	}
}
