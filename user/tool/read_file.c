/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Reads whole files for the commands of spinctl. Reads to the end instead of asking for the size, because a pipe has none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/tool/error.h"
#include "user/tool/read_file.h"

#define BYTES_MAX (256u << 20)

/* Returns NULL and sets errno on failure. */
static void *read_all(FILE *from, size_t *bytes)
{
	char *data = NULL, *more;
	size_t capacity = 0, got;

	*bytes = 0;
	do {
		if (*bytes == capacity) {
			capacity = capacity ? 2 * capacity : 1 << 16;
			more = capacity > BYTES_MAX ? NULL : realloc(data, capacity);
			if (!more) {
				free(data);
				errno = capacity > BYTES_MAX ? EFBIG : ENOMEM;
				return NULL;
			}
			data = more;
		}
		got = fread(data + *bytes, 1, capacity - *bytes, from);
		*bytes += got;
	} while (got);
	if (!ferror(from))
		return data;
	free(data);
	return NULL;
}

void *read_file(const char *path, size_t *bytes)
{
	FILE *from = fopen(path, "re");
	void *data = from ? read_all(from, bytes) : NULL;

	if (!data)
		report_error("cannot read %s: %s", path, strerror(errno));
	if (from)
		fclose(from);
	return data;
}
