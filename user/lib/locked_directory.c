/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Temporary directories with a lock (locked_directory.h), for spincc and for commands that compile. The kernel drops the lock when its
 * process ends, so an unlocked directory of this user and prefix was left by a killed process.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "user/lib/locked_directory.h"

#define MKDTEMP_SUFFIX "XXXXXX"
#define GRACE_S        30 /* another process may have made it and not locked it yet */

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	remove(path);
	return 0;
}

static void remove_tree(const char *path)
{
	nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Returns 1 if a killed process of this user left the directory. */
static int is_stale(int parent_fd, const char *name, const char *prefix)
{
	struct stat st;
	int fd, stale;

	if (strlen(name) != strlen(prefix) + strlen(MKDTEMP_SUFFIX) || strncmp(name, prefix, strlen(prefix)))
		return 0;
	fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0;
	stale = !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 077) && st.st_mtime + GRACE_S < time(NULL) &&
		!flock(fd, LOCK_EX | LOCK_NB);
	close(fd);
	return stale;
}

static void remove_stale(const char *parent, const char *prefix)
{
	struct dirent *entry;
	char path[4096];
	DIR *dir = opendir(parent);

	while (dir && (entry = readdir(dir)))
		if (is_stale(dirfd(dir), entry->d_name, prefix) &&
		    snprintf(path, sizeof(path), "%s/%s", parent, entry->d_name) < (int)sizeof(path))
			remove_tree(path);
	if (dir)
		closedir(dir);
}

int locked_directory__make(const char *parent, const char *prefix, char *path, size_t bytes)
{
	int fd;

	remove_stale(parent, prefix);
	if (snprintf(path, bytes, "%s/%s" MKDTEMP_SUFFIX, parent, prefix) >= (int)bytes)
		return -ENAMETOOLONG;
	if (!mkdtemp(path))
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		fd = -errno;
		rmdir(path);
		return fd;
	}
	flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

void locked_directory__remove(const char *path, int lock_fd)
{
	remove_tree(path);
	if (lock_fd >= 0)
		close(lock_fd);
}
