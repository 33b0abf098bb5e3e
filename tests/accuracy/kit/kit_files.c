/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Creates and closes the files that `make rtl-kit` writes, and makes their directories. Called by the other files of the kit. Each function
 * reports a failure on stderr, so callers only pass it on.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/accuracy/kit/kit.h"

static int make_directories(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(path, 0777) && errno != EEXIST)
			return -1;
		*at = '/';
	}
	return 0;
}

FILE *kit_create(const char *directory, const char *name)
{
	char path[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = make_directories(path) ? NULL : fopen(path, "we");
	if (!file)
		fprintf(stderr, "rtl-kit: %s: %s\n", path, strerror(errno));
	return file;
}

int kit_close(FILE *file, const char *directory, const char *name)
{
	int failed = ferror(file);

	if (fclose(file) || failed) {
		fprintf(stderr, "rtl-kit: %s/%s: cannot be written\n", directory, name);
		return -1;
	}
	return 0;
}
