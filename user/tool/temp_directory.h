/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_TEMP_DIRECTORY_H
#define USER_TOOL_TEMP_DIRECTORY_H

/* Directories in $TMPDIR (or /tmp) for compiled handlers. A killed command leaves its directory; the next command removes it. */
#include <stddef.h>

/* Creates a directory and writes its name to `path`. Returns a descriptor that holds the lock on it, or -1 after a message. */
int temp_directory__make(char *path, size_t bytes);
/* Removes the directory and its contents, and closes lock_fd, its lock; -1: none. */
void temp_directory__remove(const char *path, int lock_fd);

#endif
