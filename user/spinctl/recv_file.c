/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The file that a receiver is at work on: it gets its name when it is whole. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "user/spinctl/recv.h"

int recv_file__prepare(struct receiver *r)
{
	char path[PATH_MAX];
	struct stat st;
	int err;

	/* one message: the name as given */
	if (snprintf(path, sizeof(path), r->wanted == 1 ? "%s" : "%s.%u", r->path, r->received + 1) >= (int)sizeof(path))
		return complain("%s: the path is too long", r->path);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return complain("%s is no regular file: name another for the message", path);
	err = whole_file__open(&r->file, path, "spinrecv");
	return err ? complain("cannot write %s: %s", path, whole_file__reason(err)) : DONE;
}

int recv_file__write(struct receiver *r, size_t from, size_t bytes)
{
	errno = 0;
	if (fwrite(r->memory + from, 1, bytes, r->file.file) == bytes)
		return DONE;
	return complain("cannot write %s: %s; the message is lost", r->file.path, whole_file__reason(errno ? -errno : -EIO));
}

int recv_file__publish(struct receiver *r)
{
	int err = fflush(r->file.file) ? (errno ? -errno : -EIO) : whole_file__publish(&r->file);

	whole_file__close(&r->file);
	return err ? complain("cannot write %s: %s; the message is lost", r->file.path, whole_file__reason(err)) : DONE;
}
