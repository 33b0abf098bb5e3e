/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_ATOMIC_FILE_H
#define USER_LIB_ATOMIC_FILE_H

/*
 * A file that gets its name when it is complete. Used by spinctl record, recv, dump and cost. Until then it has no name, where the file
 * system allows that, so a killed writer leaves nothing; elsewhere it is hidden. An existing device, pipe or link is written directly.
 */
#include <limits.h>
#include <stdio.h>

/* A file while it is written. */
struct atomic_file {
	char path[PATH_MAX], temp[PATH_MAX]; /* temp: "" while the file has no name at all */
	const char *hidden;                  /* ".HIDDEN-PID-N" */
	int is_stream;
	FILE *file;
};

/*
 * Both return 0 or -errno, which atomic_file__reason() explains. atomic_file__open() follows a link only in a directory that no user
 * except this one and root can write to; elsewhere an attacker may have created it: -ELOOP. -ESTALE: a device or pipe was replaced by
 * another file before it was open.
 */
int atomic_file__open(struct atomic_file *f, const char *path, const char *hidden);
const char *atomic_file__reason(int err);
/* Renames the file to its path. Replaces an existing file and keeps its mode. The caller must flush the stream first. */
int atomic_file__publish(struct atomic_file *f);
/* Closes the file, and removes it if it was not published. */
void atomic_file__close(struct atomic_file *f);

#endif
