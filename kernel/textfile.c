/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Reads small text files of procfs and sysfs: a line, a number, a field by its key. Called by the probes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/textfile.h"

int textfile__line(int at, const char *path, char *line, size_t bytes)
{
	int fd = openat(at, path, O_RDONLY | O_CLOEXEC), err;
	ssize_t n;

	line[0] = '\0';
	if (fd < 0)
		return -errno;
	n = read(fd, line, bytes - 1);
	err = n < 0 ? -errno : 0;
	close(fd);
	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return err;
}

long textfile__number(int at, const char *path, long otherwise)
{
	char line[64], *end;
	long value;

	if (textfile__line(at, path, line, sizeof(line)))
		return otherwise;
	value = strtol(line, &end, 10);
	return end == line ? otherwise : value;
}

int textfile__field(const char *path, const char *key, char *value, size_t bytes)
{
	FILE *f = fopen(path, "re");
	char line[512];
	int err = -ENOENT;

	value[0] = '\0';
	if (!f)
		return -errno;
	while (err && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)))
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(value, bytes, "%s", line + strlen(key) + strspn(line + strlen(key), " \t"));
		err = 0;
	}
	fclose(f);
	return err;
}
