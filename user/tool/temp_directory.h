/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_TEMP_DIRECTORY_H
#define USER_TOOL_TEMP_DIRECTORY_H

/* Directories in $TMPDIR (or /tmp) for what is compiled. A killed command leaves its directory; the next one removes it. */
#include <stddef.h>

/* A new one, and its name. A descriptor that says it is in use, for the next function; or -1 after a message. */
int temp_directory__make(char *path, size_t bytes);
/* With all that is in it. */
void temp_directory__remove(const char *path, int in_use);

#endif
