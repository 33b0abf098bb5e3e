/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes a file so that it appears complete or not at all: it is unnamed or hidden until it is published. Used by spinctl record, recv,
 * dump and cost.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/lib/atomic_file.h"

#define TEMP_TRIES 1000

/* Sets f->temp to hidden name number n in the path's directory. Returns -1 and sets errno if it is too long. */
static int format_temp_name(struct atomic_file *f, unsigned n)
{
	const char *slash = strrchr(f->path, '/');

	if (snprintf(f->temp, sizeof(f->temp), "%.*s.%s-%d-%u", slash ? (int)(slash - f->path) + 1 : 0, f->path, f->hidden, (int)getpid(),
		     n) < (int)sizeof(f->temp))
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

/* Opens an unnamed file in the path's directory. Returns -1 and sets errno if the file system does not support that. */
static int open_unnamed(const struct atomic_file *f)
{
	const char *slash = strrchr(f->path, '/');
	char directory[PATH_MAX];

	snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - f->path) + 1 : 1, slash ? f->path : ".");
	return open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
}

static int open_hidden(struct atomic_file *f)
{
	int fd = -1;

	errno = EEXIST;
	for (unsigned n = 0; n < TEMP_TRIES && fd < 0 && errno == EEXIST; n++)
		fd = format_temp_name(f, n) ? -1 : open(f->temp, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
	if (fd < 0)
		f->temp[0] = '\0';
	return fd;
}

/* Returns 1 if only this user or root can write to the path's directory: then a link in it can be trusted, as /dev/stdout. */
static int is_safe_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX];
	struct stat st;

	snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	return !stat(directory, &st) && (!st.st_uid || st.st_uid == geteuid()) && !(st.st_mode & 022);
}

/* Returns 1 for a device, pipe or link, which is opened by its name; 0 for a file or no file; -ELOOP for a link that is not trusted. */
static int is_stream(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return 0;
	if (S_ISLNK(st.st_mode))
		return is_safe_directory(path) ? !stat(path, &st) : -ELOOP;
	return !S_ISREG(st.st_mode);
}

const char *atomic_file__reason(int err)
{
	return err == -ELOOP ? "it is a symbolic link in a directory that others may write to: name the file itself" : strerror(-err);
}

int atomic_file__open(struct atomic_file *f, const char *path, const char *hidden)
{
	int fd, err;

	*f = (struct atomic_file){ .hidden = hidden };
	if (snprintf(f->path, sizeof(f->path), "%s", path) >= (int)sizeof(f->path))
		return -ENAMETOOLONG;
	f->is_stream = is_stream(path);
	if (f->is_stream < 0)
		return f->is_stream;
	fd = f->is_stream ? open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) : open_unnamed(f);
	if (fd < 0 && !f->is_stream && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
		fd = open_hidden(f);
	f->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (f->file)
		return 0;
	err = -errno;
	if (fd >= 0)
		close(fd);
	if (f->temp[0])
		unlink(f->temp);
	return err;
}

/* Gives an unnamed file a name. Returns -1 with errno EEXIST if the name is in use: link() cannot replace an existing file. */
static int link_as(const struct atomic_file *f, const char *path)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fileno(f->file));
	return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* Links an unnamed file to a hidden name, for rename(), which can replace an existing file. */
static int link_hidden(struct atomic_file *f)
{
	int rc = -1;

	errno = EEXIST;
	for (unsigned n = 0; n < TEMP_TRIES && rc && errno == EEXIST; n++)
		rc = format_temp_name(f, n) || link_as(f, f->temp);
	if (rc)
		f->temp[0] = '\0';
	return rc;
}

int atomic_file__publish(struct atomic_file *f)
{
	struct stat st;

	if (f->is_stream)
		return 0;
	/* keeps the mode of the file that it replaces */
	if (!lstat(f->path, &st) && S_ISREG(st.st_mode) && fchmod(fileno(f->file), st.st_mode & 0777))
		return -errno;
	/* a new file needs no hidden name, which would be left if this process were killed now */
	if (!f->temp[0] && !link_as(f, f->path))
		return 0;
	if (!f->temp[0] && (errno != EEXIST || link_hidden(f)))
		return -errno;
	if (rename(f->temp, f->path))
		return -errno;
	f->temp[0] = '\0';
	return 0;
}

void atomic_file__close(struct atomic_file *f)
{
	if (f->file)
		fclose(f->file);
	if (f->temp[0])
		unlink(f->temp);
	f->file = NULL;
	f->temp[0] = '\0';
}
