/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "send.h"
#include "stop.h"

#define FIRST_BYTES 65536u

static int too_long(const char *name)
{
	return complain("%s: a message has at most %u bytes; send it in parts (split -b 2G)", name, UINT32_MAX);
}

/* Grows as long as something comes: pipes do not tell how much that will be. */
static int read_all(struct send_file *file, int fd)
{
	size_t room = 0;

	for (;;) {
		ssize_t got;

		if (file->bytes > UINT32_MAX)
			return too_long(file->name);
		if (file->bytes == room) {
			void *more = realloc(file->data, room = room ? 2 * room : FIRST_BYTES);

			if (!more)
				return complain("%s: no memory for what comes from there", file->name);
			file->data = more;
		}
		got = read(fd, (char *)file->data + file->bytes, room - file->bytes);
		if (!got)
			return DONE;
		if (got > 0)
			file->bytes += (size_t)got;
		else if (stop__signal())
			return complain("%s: ended by a signal before all was read; nothing was sent", file->name);
		else if (errno != EINTR)
			return complain("cannot read %s: %s", file->name, strerror(errno));
	}
}

/* Files of /proc say that they are empty, and are not: those are read. */
static int take(struct send_file *file, int fd)
{
	struct stat st;
	void *data;

	if (fstat(fd, &st))
		return complain("cannot read %s: %s", file->name, strerror(errno));
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return read_all(file, fd);
	if ((uint64_t)st.st_size > UINT32_MAX)
		return too_long(file->name);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return read_all(file, fd);
	file->data = data;
	file->bytes = (size_t)st.st_size;
	file->mapped = 1;
	return DONE;
}

int send_file__open(struct send_file *file, const char *path)
{
	int from_stdin = !strcmp(path, "-"), fd, status;

	*file = (struct send_file){ .name = from_stdin ? "standard input" : path };
	fd = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return stop__signal() ? complain("%s: ended by a signal; nothing was sent", file->name) :
					complain("cannot read %s: %s", file->name, strerror(errno));
	status = take(file, fd);
	if (!from_stdin)
		close(fd);
	if (status)
		send_file__close(file);
	return status;
}

void send_file__close(struct send_file *file)
{
	if (file->mapped)
		munmap(file->data, file->bytes);
	else
		free(file->data);
	file->data = NULL;
}
