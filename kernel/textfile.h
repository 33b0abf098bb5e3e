/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_TEXTFILE_H
#define KERNEL_TEXTFILE_H

/* Small files in /proc and /sys. `at` is a directory's descriptor, or AT_FDCWD. Called by the probes, libspin and spinctl doctor. */
#include <stddef.h>

/* Reads the first line, without its newline. Returns 0 or -errno. */
int textfile__line(int at, const char *path, char *line, size_t bytes);

/* A decimal number; `otherwise` if the file is absent, not readable or not a number. */
long textfile__number(int at, const char *path, long otherwise);

/* Copies the rest of the first line that starts with `key`, without leading blanks. Returns 0 or -errno (-ENOENT: no such line). */
int textfile__field(const char *path, const char *key, char *value, size_t bytes);

#endif
