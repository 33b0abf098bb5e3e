/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Main thread of a holder, spind's process for one network namespace: takes requests that the front process hands over, starts a thread for
 * each client, and counts contexts (loaded packet handlers) per user (holder.h). A client is counted before the reply is sent, and the
 * front process sends one handoff at a time; therefore quotas hold. The front process keeps its copies of the descriptors until the reply,
 * so this thread never closes the last copy: closing a TCP socket that lingers would block it. The client's thread may block there instead.
 * The holder ends when it has had no client for IDLE_MS, whatever else it is asked, or at once by HANDOFF_END_IDLE.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "user/lib/descriptors.h"
#include "user/spind/answer.h"
#include "user/spind/client.h"
#include "user/spind/handoff.h"
#include "user/spind/held.h"
#include "user/spind/holder.h"
#include "user/spind/host.h"
#include "user/spind/journal.h"

#define LISTEN_FD      3
#define IDLE_MS        2000 /* the next client of this namespace may come soon, and starting a holder takes longer */
#define OPERATIONS_MAX 8    /* OPEN, STOP, SWAP, MIGRATE and SET_RULE requests of a user at a time */
#define THREADS_MAX    4608 /* more than the contexts that settings allow */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned threads; /* clients being served */
static int idle_fd;      /* eventfd, written when the last thread ends */

/* Per user: clients that have a context or wait for one to be loaded, and running operations. */
static struct {
	uint32_t uid;
	unsigned contexts, operations;
} users[HANDOFF_USERS_MAX];
static unsigned contexts;

/*
 * Adds `change` to a user's contexts or operations; the caller holds the lock. Returns 0, or -1 if there are too many users or too many
 * operations of this user.
 */
static int count_user(uint32_t uid, int is_context, int change)
{
	size_t slot = HANDOFF_USERS_MAX;

	for (size_t i = 0; i < HANDOFF_USERS_MAX; i++) {
		if ((users[i].contexts || users[i].operations) && users[i].uid == uid) {
			slot = i;
			break;
		}
		if (!users[i].contexts && !users[i].operations && slot == HANDOFF_USERS_MAX)
			slot = i;
	}
	if (slot == HANDOFF_USERS_MAX || (change > 0 && !is_context && users[slot].operations >= OPERATIONS_MAX))
		return -1;
	users[slot].uid = uid;
	if (is_context) {
		users[slot].contexts += (unsigned)change;
		contexts += (unsigned)change;
	} else {
		users[slot].operations += (unsigned)change;
	}
	return 0;
}

/* Operations without a context count as one: they, too, keep this process. */
static unsigned contexts_of_user(uint32_t uid)
{
	for (size_t i = 0; i < HANDOFF_USERS_MAX; i++)
		if ((users[i].contexts || users[i].operations) && users[i].uid == uid)
			return users[i].contexts ? users[i].contexts : 1;
	return 0;
}

static int is_idle(void)
{
	int idle;

	pthread_mutex_lock(&lock);
	idle = !threads;
	pthread_mutex_unlock(&lock);
	return idle;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* --- handoffs --- */

/* Returns 1 if the request creates a context. */
static int creates_context(const struct handoff *handoff)
{
	return handoff->request.op == BROKER_CREATE || handoff->request.op == BROKER_ADD;
}

/* Waits until the front process has closed its descriptors, for at most HANDOFF_MS, which is as long as it waits for the reply. */
static void wait_for_front(struct client *client)
{
	struct pollfd wait = { .fd = client->front_fd, .events = POLLIN };

	if (client->front_fd >= 0)
		poll(&wait, 1, HANDOFF_MS);
	broker__close(&client->front_fd, 1);
}

/* The thread of one client. */
static void *serve(void *arg)
{
	struct client *client = arg;
	const int counted = creates_context(&client->handoff);
	const uint32_t uid = client->handoff.uid;

	wait_for_front(client);
	client__serve(client);
	pthread_mutex_lock(&lock);
	count_user(uid, counted, -1);
	if (!--threads)
		eventfd_write(idle_fd, 1);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Returns 1 if a thread serves the client and owns the descriptors. */
static int start_thread(const struct settings *settings, const struct handoff *handoff, const int *fds, unsigned count, int front_fd)
{
	struct client *client = calloc(1, sizeof(*client));
	const int counted = creates_context(handoff);
	pthread_t thread;
	int taken;

	if (!client)
		return 0;
	client->settings = settings;
	client->handoff = *handoff;
	client->count = count;
	memcpy(client->fds, fds, count * sizeof(*fds));
	client->front_fd = fcntl(front_fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_lock(&lock);
	taken = threads < THREADS_MAX && !count_user(handoff->uid, counted, 1);
	threads += (unsigned)taken;
	pthread_mutex_unlock(&lock);
	if (taken && !pthread_create(&thread, NULL, serve, client)) {
		pthread_detach(thread);
		return 1;
	}
	if (taken) {
		pthread_mutex_lock(&lock);
		threads--;
		count_user(handoff->uid, counted, -1);
		pthread_mutex_unlock(&lock);
	}
	broker__close(&client->front_fd, 1);
	free(client);
	return 0;
}

static int send_list_entry(void *arg, struct held *held)
{
	const int *connection = arg;
	struct broker_answer answer;

	/* Replacing handlers may unmap the counters. In that case the list shows the numbers of the last list. */
	if (!pthread_mutex_trylock(&held->use)) {
		answer__count(held, &held->counts);
		pthread_mutex_unlock(&held->use);
	}
	answer__identify(held, &held->counts, &answer);
	answer.flags = BROKER_MORE;
	return broker__send(*connection, &answer, sizeof(answer), NULL, 0, MSG_DONTWAIT);
}

/* Returns 1 if this holder took the request (then it owns the descriptors), 0 if it is not for it, HANDOFF_BUSY if it cannot. */
static int handle_handoff(const struct settings *settings, const struct handoff *handoff, const int *fds, unsigned count, int front_fd)
{
	switch (handoff->request.op) {
	case BROKER_ADD:
	case BROKER_CREATE:
		return start_thread(settings, handoff, fds, count, front_fd);
	case BROKER_OPEN:
	case BROKER_STOP:
	case BROKER_SWAP:
	case BROKER_MIGRATE:
	case BROKER_SET_RULE:
		if (!held__exists(handoff->request.id))
			return 0;
		return start_thread(settings, handoff, fds, count, front_fd) ? 1 : HANDOFF_BUSY;
	case BROKER_LIST:
		if (count)
			held__each(send_list_entry, (void *)&fds[0]); /* the front process has set a large enough send buffer */
	}
	return 0;
}

static void accept_handoff(int listen_fd, const struct settings *settings)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC), fds[BROKER_FDS];
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	struct handoff_reply reply = { 0 };
	struct handoff handoff;
	unsigned count = 0;

	if (fd < 0)
		return;
	if (poll(&wait, 1, 1000) > 0 && broker__receive(fd, &handoff, sizeof(handoff), fds, &count, MSG_DONTWAIT) == sizeof(handoff)) {
		if (handoff.request.op == HANDOFF_END_IDLE && is_idle())
			_exit(0); /* closes the connection: only then does the front process start another holder */
		reply.taken = (uint32_t)handle_handoff(settings, &handoff, fds, count, fd);
		if (reply.taken != 1)
			broker__close(fds, count);
		pthread_mutex_lock(&lock);
		reply.contexts = contexts;
		reply.of_user = contexts_of_user(handoff.uid);
		pthread_mutex_unlock(&lock);
		broker__send(fd, &reply, sizeof(reply), NULL, 0, MSG_DONTWAIT);
	} else {
		broker__close(fds, count);
	}
	close(fd);
}

int holder__main(int fd, const struct settings *settings)
{
	struct pollfd wait[3] = { { .fd = LISTEN_FD, .events = POLLIN }, { .events = POLLIN }, { .events = POLLIN } };
	const pid_t front = getppid();
	uint64_t idle_since;
	struct signalfd_siginfo unread;
	eventfd_t unread_event;
	sigset_t orphaned;

	/* close the front's descriptors: its listening socket must not stay open after it ends */
	if (dup2(fd, LISTEN_FD) < 0 || close_range(LISTEN_FD + 1, ~0u, 0))
		return 1;
	journal__open();
	prctl(PR_SET_NAME, "spind-holder");
	signal(SIGCHLD, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_IGN); /* Ctrl-C on spind's terminal must not end holders */
	descriptors_raise_limit();
	/* SIGUSR1 when the front process ends: then end as soon as there is no context */
	sigemptyset(&orphaned);
	sigaddset(&orphaned, SIGUSR1);
	sigprocmask(SIG_SETMASK, &orphaned, NULL);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	wait[1].fd = signalfd(-1, &orphaned, SFD_CLOEXEC | SFD_NONBLOCK);
	wait[2].fd = idle_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (host__open(settings)) {
		journal__say(JOURNAL_ERROR, "%s", spin_strerror_last());
		return 1;
	}
	idle_since = now_ms();
	for (;;) {
		const int ready = poll(wait, 3, 500);

		while (read(wait[1].fd, &unread, sizeof(unread)) > 0)
			;
		eventfd_read(idle_fd, &unread_event);
		if (ready > 0 && wait[0].revents)
			accept_handoff(LISTEN_FD, settings);
		if (!is_idle())
			idle_since = now_ms();
		else if (getppid() != front || now_ms() - idle_since >= IDLE_MS)
			return 0; /* a handoff that comes now is sent again, to a new holder */
	}
}
