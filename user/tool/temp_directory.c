/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Temporary directories in $TMPDIR for compiled handlers (temp_directory.h). Called by tool/handler.c and spinctl cost. A directory of a
 * killed process is removed when the next one is made.
 */
#include <stdlib.h>
#include <string.h>

#include "user/lib/locked_directory.h"
#include "user/tool/error.h"
#include "user/tool/temp_directory.h"

int temp_directory__make(char *path, size_t bytes)
{
	const char *tmp = getenv("TMPDIR");
	int fd = locked_directory__make(tmp && *tmp ? tmp : "/tmp", "spinctl-", path, bytes);

	if (fd >= 0)
		return fd;
	report_error("cannot make a directory for what is compiled: %s; set TMPDIR to one that can be written", strerror(-fd));
	path[0] = '\0';
	return -1;
}

void temp_directory__remove(const char *path, int lock_fd)
{
	locked_directory__remove(path, lock_fd);
}
