/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_READ_FILE_H
#define USER_TOOL_READ_FILE_H

/* Reads a whole file into memory. Called by commands of spinctl. */
#include <stddef.h>

/*
 * Reads a file, which may be a pipe, of less than 256 MB. Returns its bytes, which the caller frees, or NULL after a message with
 * the reason. An empty file is not an error.
 */
void *read_file(const char *path, size_t *bytes);

#endif
