/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_LOCKED_DIRECTORY_H
#define USER_LIB_LOCKED_DIRECTORY_H

/*
 * Temporary directories that do not outlive a killed process for long. Used by spincc and by commands that compile. A process holds a lock
 * on its directory, and the next process that makes one in the same parent removes those without a lock. Directories of other users are
 * never touched.
 */
#include <stddef.h>

/*
 * Makes PARENT/PREFIXxxxxxx with mode 0700, and removes what killed processes left under that prefix. Writes its path. Returns a
 * descriptor that holds the lock, close-on-exec, or a negative errno.
 */
int locked_directory__make(const char *parent, const char *prefix, char *path, size_t bytes);

/* Removes the directory with all in it, and closes the descriptor. */
void locked_directory__remove(const char *path, int lock_fd);

#endif
