/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Starts holders, one for each network namespace, and sends them orders. Called by the threads of the front process. If a holder
 * ends with an order in flight, it closes the connection without a receipt, and the order is sent again to a new holder.
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* serializes orders, so that quotas hold */
static char directory[80];
static const struct settings *settings;

int holders__open(const char *path, const struct settings *from)
{
	struct stat st;

	settings = from;
	if (snprintf(directory, sizeof(directory), "%s", path) >= (int)sizeof(directory)) {
		fprintf(stderr, "spind: %s is too long for a directory of sockets\n", path);
		return -1;
	}
	if ((mkdir(directory, 0700) && errno != EEXIST) || lstat(directory, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_mode & 022) {
		fprintf(stderr, "spind: %s cannot be made, or is not a directory of this user's alone\n", directory);
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
 * Sends an order and waits for the receipt. If the holder has taken it, *taken is the connection, which the holder waits to see closed
 * (finish_order()). A holder that sends no receipt in time may still take the order.
 */
static int send_order(const char *name, const struct order *order, const int *fds, unsigned count, struct receipt *receipt, int *taken)
{
	struct pollfd wait = { .events = POLLIN };
	int extra_fds[BROKER_FDS], err;
	unsigned extra_count = 0;
	ssize_t got = 0;

	wait.fd = connect_to(name);
	if (wait.fd < 0)
		return wait.fd;
	err = broker__send(wait.fd, order, sizeof(*order), fds, count, MSG_DONTWAIT);
	if (!err && poll(&wait, 1, RECEIPT_MS) <= 0)
		err = -ETIMEDOUT;
	if (!err)
		got = broker__receive(wait.fd, receipt, sizeof(*receipt), extra_fds, &extra_count, MSG_DONTWAIT);
	broker__close(extra_fds, extra_count);
	if (got == sizeof(*receipt) && receipt->taken == 1)
		*taken = wait.fd;
	else
		close(wait.fd);
	return err ? err : got == sizeof(*receipt) ? 0 : -ECONNREFUSED;
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

void holders__give_back(int *fds, unsigned count)
{
	/* a socket that lingers blocks only this thread, which serves its owner */
	if (count > 1)
		broker__close(fds + 1, count - 1);
	/* a new holder's fork and first receipt happen under this lock; after the receipt it has no copies */
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

/* taken: as set by send_order(), or -1. */
static void finish_order(int taken, int *fds, unsigned count)
{
	if (taken < 0)
		return;
	holders__give_back(fds, count);
	close(taken);
}

static int send_or_start(uint64_t netns, int ns_fd, const struct order *order, const int *fds, unsigned count, struct receipt *receipt,
			 int *taken)
{
	char name[32];
	int err;

	snprintf(name, sizeof(name), "netns-%llu", (unsigned long long)netns);
	for (int tries = 0; tries < 3; tries++) {
		err = send_order(name, order, fds, count, receipt, taken);
		if (err != -ECONNREFUSED && err != -ENOENT && err != -ECONNRESET && err != -EPIPE)
			return err;
		err = start_holder(name, ns_fd);
		if (err)
			return err;
	}
	return -ECONNREFUSED;
}

int holders__give(uint64_t netns, int ns_fd, const struct order *order, int *fds, unsigned count, struct receipt *receipt)
{
	int taken = -1, err;

	pthread_mutex_lock(&lock);
	err = send_or_start(netns, ns_fd, order, fds, count, receipt, &taken);
	pthread_mutex_unlock(&lock);
	finish_order(taken, fds, count);
	return err;
}

static int send_to_each(const struct order *order, const int *fds, unsigned count, struct receipt *sum, int *taken)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;

	*sum = (struct receipt){ 0 };
	while (dir && !sum->taken && (entry = readdir(dir))) {
		struct receipt one = { 0 };
		int err;

		if (strncmp(entry->d_name, "netns-", 6))
			continue;
		err = send_order(entry->d_name, order, fds, count, &one, taken);
		sum->silent += err && err != -ECONNREFUSED && err != -ENOENT;
		sum->taken = one.taken;
		sum->contexts += one.contexts;
		sum->of_user += one.of_user;
	}
	if (dir)
		closedir(dir);
	return (int)sum->taken;
}

int holders__give_all(const struct order *order, int *fds, unsigned count, struct receipt *sum)
{
	int taken = -1, result;

	pthread_mutex_lock(&lock);
	result = send_to_each(order, fds, count, sum, &taken);
	pthread_mutex_unlock(&lock);
	finish_order(taken, fds, count);
	return result;
}
