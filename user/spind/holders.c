/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Starts holders, spind's processes that load handlers, one for each network namespace, and sends them clients' requests (handoffs). Called
 * by the threads of the front process. If a holder ends with a handoff in flight, it closes the connection without a reply, and the handoff
 * is sent again to a new holder.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "user/spind/holder.h"
#include "user/spind/holders.h"
#include "user/spind/journal.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* serializes handoffs, so that quotas hold */
static char directory[80];
static const struct settings *settings;

int holders__open(const char *path, const struct settings *from)
{
	struct stat st;

	settings = from;
	if (snprintf(directory, sizeof(directory), "%s", path) >= (int)sizeof(directory)) {
		journal__say(JOURNAL_ERROR, "%s is too long for a directory of sockets", path);
		return -1;
	}
	if ((mkdir(directory, 0700) && errno != EEXIST) || lstat(directory, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_mode & 022) {
		journal__say(JOURNAL_ERROR, "%s cannot be made, or is not a directory of this user's alone", directory);
		return -1;
	}
	return 0;
}

static int address_of(const char *name, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	return snprintf(address->sun_path, sizeof(address->sun_path), "%s/%s", directory, name) < (int)sizeof(address->sun_path)
		       ? 0
		       : -ENAMETOOLONG;
}

/* Returns a connection to a holder, or a negative errno. Removes the socket of a holder that is gone. */
static int connect_to(const char *name)
{
	struct sockaddr_un address;
	int fd, err = address_of(name, &address);

	if (err)
		return err;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	err = -errno;
	close(fd);
	if (err == -ECONNREFUSED)
		unlink(address.sun_path);
	return err;
}

/*
 * Sends a handoff and waits for the reply. If the holder has taken it, *taken is the connection, which the holder waits to see closed
 * (finish_handoff()). A holder that sends no reply in time may still take the handoff.
 */
static int send_handoff(const char *name, const struct handoff *handoff, const int *fds, unsigned count, struct handoff_reply *reply,
			int *taken)
{
	struct pollfd wait = { .events = POLLIN };
	int extra_fds[BROKER_FDS], err;
	unsigned extra_count = 0;
	ssize_t got = 0;

	wait.fd = connect_to(name);
	if (wait.fd < 0)
		return wait.fd;
	err = broker__send(wait.fd, handoff, sizeof(*handoff), fds, count, MSG_DONTWAIT);
	if (!err && poll(&wait, 1, HANDOFF_MS) <= 0)
		err = -ETIMEDOUT;
	if (!err)
		got = broker__receive(wait.fd, reply, sizeof(*reply), extra_fds, &extra_count, MSG_DONTWAIT);
	broker__close(extra_fds, extra_count);
	if (err == -ECONNRESET || err == -EPIPE) /* it has ended, and with it its contexts */
		err = -ECONNREFUSED;
	if (got == sizeof(*reply) && reply->taken == 1)
		*taken = wait.fd;
	else
		close(wait.fd);
	return err ? err : got == sizeof(*reply) ? 0 : -ECONNREFUSED;
}

/* Forks a holder in the namespace; its socket listens before the fork. */
static int start_holder(const char *name, int ns_fd)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), err;
	struct sockaddr_un address;
	pid_t pid;

	if (fd < 0)
		return -errno;
	err = address_of(name, &address);
	if (!err) {
		unlink(address.sun_path);
		if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 256))
			err = -errno;
	}
	if (!err) {
		pid = fork();
		if (!pid)
			_exit(setns(ns_fd, CLONE_NEWNET) ? 1 : holder__main(fd, settings));
		if (pid < 0)
			err = -errno;
	}
	close(fd);
	return err;
}

void holders__close_fds(int *fds, unsigned count)
{
	/* a socket that lingers blocks only this thread, which serves its owner */
	if (count > 1)
		broker__close(fds + 1, count - 1);
	/* a new holder's fork and first reply happen under this lock; after the reply it has no copies */
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

/* taken: as set by send_handoff(), or -1. */
static void finish_handoff(int taken, int *fds, unsigned count)
{
	if (taken < 0)
		return;
	holders__close_fds(fds, count);
	close(taken);
}

/* Sends a request to one holder after the other until one takes it. *sum adds up their replies. Returns whether it was taken. */
static int send_to_each(const struct handoff *handoff, const int *fds, unsigned count, struct handoff_reply *sum, int *taken)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;

	*sum = (struct handoff_reply){ 0 };
	while (dir && !sum->taken && (entry = readdir(dir))) {
		struct handoff_reply one = { 0 };
		int err;

		if (strncmp(entry->d_name, "netns-", 6))
			continue;
		err = send_handoff(entry->d_name, handoff, fds, count, &one, taken);
		sum->silent += err && err != -ECONNREFUSED && err != -ENOENT;
		sum->taken = one.taken;
		sum->contexts += one.contexts;
		sum->of_user += one.of_user;
	}
	if (dir)
		closedir(dir);
	return (int)sum->taken;
}

/*
 * Ends the holders that have no client, and waits until they have ended. Called before another one is started: thus there are no more
 * holders than clients that count as contexts, however many requests are refused, and the quotas of contexts limit holders as well.
 */
static void end_idle(void)
{
	const struct handoff end = { .request.op = HANDOFF_END_IDLE };
	struct handoff_reply unused;
	int none_taken;

	send_to_each(&end, NULL, 0, &unused, &none_taken);
}

/* Passes a request to the holder of a namespace, which is started if there is none. */
static int send_or_start(uint64_t netns, int ns_fd, const struct handoff *handoff, const int *fds, unsigned count,
			 struct handoff_reply *reply, int *taken)
{
	char name[32];
	int err;

	snprintf(name, sizeof(name), "netns-%llu", (unsigned long long)netns);
	for (int tries = 0; tries < 3; tries++) {
		err = send_handoff(name, handoff, fds, count, reply, taken);
		if (err != -ECONNREFUSED && err != -ENOENT)
			return err;
		end_idle();
		err = start_holder(name, ns_fd);
		if (err)
			return err;
	}
	return -ECONNREFUSED;
}

int holders__send(uint64_t netns, int ns_fd, const struct handoff *handoff, int *fds, unsigned count, struct handoff_reply *reply)
{
	int taken = -1, err;

	pthread_mutex_lock(&lock);
	err = send_or_start(netns, ns_fd, handoff, fds, count, reply, &taken);
	pthread_mutex_unlock(&lock);
	finish_handoff(taken, fds, count);
	return err;
}

int holders__send_all(const struct handoff *handoff, int *fds, unsigned count, struct handoff_reply *sum)
{
	int taken = -1, result;

	pthread_mutex_lock(&lock);
	result = send_to_each(handoff, fds, count, sum, &taken);
	pthread_mutex_unlock(&lock);
	finish_handoff(taken, fds, count);
	return result;
}
