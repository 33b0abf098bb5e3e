/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Temporary directories for commands that compile. A process that uses one holds a lock on it, which ends with the process: an
 * unlocked directory of ours was left by a killed one, and is removed. Directories of others are never touched.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "user/tool/compile.h"
#include "user/tool/error.h"
#include "user/tool/temp_directory.h"

#define PREFIX  "spinctl-"
#define PATTERN PREFIX "XXXXXX"
#define YOUNG_S 30 /* its maker may be about to lock it */

static const char *parent(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/tmp";
}

/* Ours, of this user, and nobody uses it. */
static int is_left(int parent_fd, const char *name)
{
	int fd, left;
	struct stat st;

	if (strlen(name) != strlen(PATTERN) || strncmp(name, PREFIX, strlen(PREFIX)))
		return 0;
	fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0;
	left = !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 077) && st.st_mtime + YOUNG_S < time(NULL) &&
	       !flock(fd, LOCK_EX | LOCK_NB);
	close(fd);
	return left;
}

static void remove_left(void)
{
	char path[4096];
	struct dirent *entry;
	DIR *dir = opendir(parent());

	while (dir && (entry = readdir(dir)))
		if (is_left(dirfd(dir), entry->d_name) &&
		    snprintf(path, sizeof(path), "%s/%s", parent(), entry->d_name) < (int)sizeof(path))
			compile__remove_directory(path);
	if (dir)
		closedir(dir);
}

int temp_directory__make(char *path, size_t bytes)
{
	int fd = -1;

	remove_left();
	if (snprintf(path, bytes, "%s/" PATTERN, parent()) >= (int)bytes)
		errno = ENAMETOOLONG;
	else if (mkdtemp(path))
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0) {
		flock(fd, LOCK_EX | LOCK_NB);
		return fd;
	}
	report_error("cannot make a directory for what is compiled: %s; set TMPDIR to one that can be written", strerror(errno));
	path[0] = '\0';
	return -1;
}

void temp_directory__remove(const char *path, int in_use)
{
	compile__remove_directory(path);
	if (in_use >= 0)
		close(in_use);
}
