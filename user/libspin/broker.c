/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Messages with file descriptors between programs and spind, the daemon that attaches handlers for programs without privileges. Called by
 * libspin's socket.c, spinctl exec and spind. A message is received whole or refused, and no descriptor of a refused one stays open.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "user/libspin/broker.h"

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(BROKER_FDS * sizeof(int))];
};

int broker__send(int connection, const void *message, size_t bytes, const int *fds, unsigned count, int flags)
{
	struct iovec iov = { .iov_base = (void *)message, .iov_len = bytes };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	union control control;
	ssize_t sent;

	if (count > BROKER_FDS)
		return -EINVAL;
	if (count) {
		struct cmsghdr *header;

		memset(&control, 0, sizeof(control));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(count * sizeof(int));
		header = CMSG_FIRSTHDR(&msg);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(header), fds, count * sizeof(int));
	}
	do
		sent = sendmsg(connection, &msg, flags | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : (size_t)sent == bytes ? 0 : -EMSGSIZE;
}

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

int broker__seal(const void *data, size_t bytes)
{
	int fd = memfd_create("spin_object", MFD_CLOEXEC | MFD_ALLOW_SEALING), err;
	size_t done = 0;

	while (fd >= 0 && done < bytes) {
		ssize_t wrote = write(fd, (const char *)data + done, bytes - done);

		if (wrote < 0 && errno != EINTR)
			break;
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	if (fd >= 0 && done == bytes && !fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL))
		return fd;
	err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

int broker__is_sealed(int fd)
{
	const int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & SEALS) == SEALS;
}

void broker__close(int *fds, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

ssize_t broker__receive(int connection, void *message, size_t bytes, int fds[BROKER_FDS], unsigned *count, int flags)
{
	struct iovec iov = { .iov_base = message, .iov_len = bytes };
	union control control;
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	struct cmsghdr *header;
	ssize_t got;

	*count = 0;
	do
		got = recvmsg(connection, &msg, flags | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	for (header = CMSG_FIRSTHDR(&msg); header; header = CMSG_NXTHDR(&msg, header)) {
		unsigned received;

		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		received = (unsigned)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		if (received > BROKER_FDS - *count)
			received = BROKER_FDS - *count; /* unreachable: the kernel passes no more than the buffer holds */
		memcpy(fds + *count, CMSG_DATA(header), received * sizeof(int));
		*count += received;
	}
	if (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
		broker__close(fds, *count);
		*count = 0;
		return -EMSGSIZE;
	}
	return got;
}

const char *broker__path(const char *path)
{
	if (!path)
		path = secure_getenv(BROKER_ENV);
	return path && *path ? path : BROKER_PATH;
}

int broker__connect(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	path = broker__path(path);
	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}
