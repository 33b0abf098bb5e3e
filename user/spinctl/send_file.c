/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What spinctl send sends. A file that becomes one message is mapped, or read as a whole where that cannot be; one that is
 * cut is read piece by piece, so it may have any length and become shorter without a signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/spinctl/send.h"
#include "user/spinctl/stop.h"

#define FIRST_BYTES 65536u
#define PIPE_MS     2000 /* so long a piece waits for more; then a message says that the sender is still there */

static int too_long(const struct send_file *file, uint64_t most)
{
	return complain("%s has more than the %llu bytes that one message may have; let it be cut: without --piece-kib 0, and "
			"without --match, --hdr-data and --offset",
			file->name, (unsigned long long)most);
}

static int cannot_read(const struct send_file *file)
{
	return complain("cannot read %s: %s", file->name, strerror(errno));
}

/* Grows as long as something comes: pipes do not tell how much that will be. */
static int read_all(struct send_file *file, uint64_t most, int cut)
{
	size_t room = 0;

	for (;;) {
		ssize_t got;

		if (file->bytes > most) {
			file->is_cut = cut;
			file->total = TRANSFER_UNKNOWN;
			return cut ? DONE : too_long(file, most);
		}
		if (file->bytes == room) {
			void *more = realloc(file->data, room = room ? 2 * room : FIRST_BYTES);

			if (!more)
				return complain("%s: no memory for what comes from there", file->name);
			file->data = more;
		}
		got = read(file->fd, (char *)file->data + file->bytes, room - file->bytes);
		if (!got)
			return DONE;
		if (got > 0)
			file->bytes += (size_t)got;
		else if (stop__signal())
			return complain("%s: ended by a signal before all was read; nothing was sent", file->name);
		else if (errno != EINTR)
			return cannot_read(file);
	}
}

/* Files of /proc say that they are empty, and are not: those are read. */
static int take(struct send_file *file, uint64_t most, int cut)
{
	struct stat st;
	void *data;

	if (fstat(file->fd, &st))
		return cannot_read(file);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return read_all(file, most, cut);
	file->total = (uint64_t)st.st_size;
	if (file->total > most && !cut)
		return too_long(file, most);
	if (file->total > most) {
		file->is_cut = 1;
		return DONE;
	}
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, file->fd, 0);
	if (data == MAP_FAILED)
		return read_all(file, most, cut);
	file->data = data;
	file->bytes = (size_t)st.st_size;
	file->mapped = 1;
	return DONE;
}

int send_file__open(struct send_file *file, const char *path, uint64_t most, int cut)
{
	int from_stdin = !strcmp(path, "-"), status;

	*file = (struct send_file){ .name = from_stdin ? "standard input" : path };
	file->fd = from_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0)
		return stop__signal() ? complain("%s: ended by a signal; nothing was sent", file->name) : cannot_read(file);
	status = take(file, most, cut);
	if (status)
		send_file__close(file);
	return status;
}

/* 1: there is something to read, or its end. */
static int has_more(const struct send_file *file)
{
	struct pollfd fd = { .fd = file->fd, .events = POLLIN };

	return file->total != TRANSFER_UNKNOWN || poll(&fd, 1, PIPE_MS) != 0;
}

int send_file__read(struct send_file *file, void *to, size_t bytes, size_t *got)
{
	ssize_t part;

	*got = file->bytes - file->given < bytes ? file->bytes - file->given : bytes;
	if (*got)
		memcpy(to, (char *)file->data + file->given, *got);
	file->given += *got;
	while (*got < bytes && !file->ended && !stop__signal() && has_more(file)) {
		part = read(file->fd, (char *)to + *got, bytes - *got);
		file->ended = !part;
		if (part > 0)
			*got += (size_t)part;
		else if (part < 0 && errno != EINTR && errno != EAGAIN)
			return cannot_read(file);
	}
	return DONE;
}

void send_file__close(struct send_file *file)
{
	if (file->mapped)
		munmap(file->data, file->bytes);
	else
		free(file->data);
	if (file->fd >= 0)
		close(file->fd);
	file->data = NULL;
	file->fd = -1;
}
