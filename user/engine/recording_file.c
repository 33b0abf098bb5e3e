/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The file of a recording while it is written, and how it gets its name. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "recording_internal.h"

#define TEMP_TRIES 1000

/* Names the file hidden beside the recording, n: one after the other until one is free. -1 with errno. */
static int name_temp(struct recording_writer *w, unsigned n)
{
	const char *slash = strrchr(w->path, '/');

	if (snprintf(w->temp, sizeof(w->temp), "%.*s.spinrec-%d-%u", slash ? (int)(slash - w->path) + 1 : 0,
		     w->path, (int)getpid(), n) < (int)sizeof(w->temp))
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

/* A file without a name; -1 with errno where the file system has none. */
static int open_nameless(const struct recording_writer *w)
{
	const char *slash = strrchr(w->path, '/');
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - w->path) + 1 : 1, slash ? w->path : ".");
	return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
}

static int open_hidden(struct recording_writer *w)
{
	int fd = -1;

	errno = EEXIST;
	for (unsigned n = 0; n < TEMP_TRIES && fd < 0 && errno == EEXIST; n++)
		fd = name_temp(w, n) ? -1 : open(w->temp, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
	if (fd < 0)
		w->temp[0] = '\0';
	return fd;
}

int recording_file__open(struct recording_writer *w)
{
	int fd = open_nameless(w);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
		fd = open_hidden(w);
	w->file = fd < 0 ? NULL : fdopen(fd, "w");
	return w->file ? 0 : engine_fail(-errno, "cannot write %s: %s", w->path, strerror(errno));
}

/* Gives a file without a name a hidden one first: a link does not replace, a rename does. */
static int link_hidden(struct recording_writer *w)
{
	char self[64];
	int rc = -1;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fileno(w->file));
	errno = EEXIST;
	for (unsigned n = 0; n < TEMP_TRIES && rc && errno == EEXIST; n++)
		rc = name_temp(w, n) || linkat(AT_FDCWD, self, AT_FDCWD, w->temp, AT_SYMLINK_FOLLOW);
	if (rc)
		w->temp[0] = '\0';
	return rc;
}

int recording_file__publish(struct recording_writer *w)
{
	if (!w->temp[0] && link_hidden(w))
		return -errno;
	if (rename(w->temp, w->path))
		return -errno;
	w->temp[0] = '\0';
	return 0;
}

void recording_file__close(struct recording_writer *w)
{
	if (w->file)
		fclose(w->file);
	if (w->temp[0])
		unlink(w->temp);
}
