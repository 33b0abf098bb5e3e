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

/* Opens the path's directory and sets *name to the rest of the path. Returns -1 on failure. */
static int open_directory(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX];

	snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	*name = slash ? slash + 1 : path;
	if (!**name)
		*name = ".";
	return open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Returns 1 if only this user or root can write to the directory: then a link in it can be trusted, as /dev/stdout. */
static int is_safe_directory(int directory)
{
	struct stat st;

	return !fstat(directory, &st) && (!st.st_uid || st.st_uid == geteuid()) && !(st.st_mode & 022);
}

/* Opens a device or pipe. If its name belongs to another file by then, returns -ELOOP for a link and -ESTALE for anything else. */
static int open_special(int directory, const char *name, const struct stat *seen)
{
	struct stat st;
	/* waits for a pipe's reader, so without O_NONBLOCK */
	int fd = openat(directory, name, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && st.st_dev == seen->st_dev && st.st_ino == seen->st_ino)
		return fd;
	close(fd);
	return -ESTALE;
}

static int open_link(int directory, const char *name)
{
	int fd;

	if (!is_safe_directory(directory))
		return -ELOOP;
	fd = openat(directory, name, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * Opens a device, pipe or link by its name. Sets f->is_stream, and returns the descriptor or -errno; a file, no file, and a link to none
 * are not streams. The directory is opened first, so that what was checked is in the directory that is used.
 */
static int open_stream(struct atomic_file *f)
{
	const char *name;
	int directory = open_directory(f->path, &name), fd = -ENOENT;
	struct stat st, target;

	if (directory < 0)
		return -errno;
	if (!fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW)) {
		f->is_stream =
			S_ISLNK(st.st_mode) ? !is_safe_directory(directory) || !fstatat(directory, name, &target, 0) : !S_ISREG(st.st_mode);
		if (f->is_stream)
			fd = S_ISLNK(st.st_mode) ? open_link(directory, name) : open_special(directory, name, &st);
	}
	close(directory);
	return fd;
}

const char *atomic_file__reason(int err)
{
	if (err == -ELOOP)
		return "it is a symbolic link in a directory that others may write to: name the file itself";
	if (err == -ESTALE)
		return "another file got its name while it was opened: name one in a directory that others may not write to";
	return strerror(-err);
}

int atomic_file__open(struct atomic_file *f, const char *path, const char *hidden)
{
	int fd, err;

	*f = (struct atomic_file){ .hidden = hidden };
	if (snprintf(f->path, sizeof(f->path), "%s", path) >= (int)sizeof(f->path))
		return -ENAMETOOLONG;
	fd = open_stream(f);
	if (f->is_stream && fd < 0)
		return fd;
	if (!f->is_stream)
		fd = open_unnamed(f);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
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
