/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_ATOMIC_FILE_H
#define USER_LIB_ATOMIC_FILE_H

/*
 * A file that gets its name when it is complete. Until then it has no name, where the file system allows that, so a killed writer
 * leaves nothing; elsewhere it is hidden and never taken for the result. An existing device, pipe or link is written directly.
 */
#include <limits.h>
#include <stdio.h>

struct atomic_file {
	char path[PATH_MAX], temp[PATH_MAX]; /* temp: "" while the file has no name at all */
	const char *hidden;                  /* ".HIDDEN-PID-N" */
	int is_stream;
	FILE *file;
};

/*
 * 0 or -errno, for atomic_file__reason(); so the next. A link is followed only in a directory that nobody but this user or
 * root can write to; elsewhere it may have been put there for somebody to follow: -ELOOP.
 */
int atomic_file__open(struct atomic_file *f, const char *path, const char *hidden);
const char *atomic_file__reason(int err);
/* Gives it its name, in place of what has that now, whose mode it keeps. Flush it before. */
int atomic_file__publish(struct atomic_file *f);
/* Removes it if it has not got its name. */
void atomic_file__close(struct atomic_file *f);

#endif
