/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The temporary directory of a compilation. Called by build.c. Results leave it by rename, so an output file is complete or absent. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/spincc/spincc.h"

int temps__make(struct spincc *s)
{
	const char *slash = strrchr(s->output, '/');
	char directory[PATH_MAX], absolute[PATH_MAX];

	snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - s->output) + 1 : 2, slash ? s->output : "./");
	if (!realpath(directory, absolute)) {
		fprintf(stderr, "spincc: cannot write %s: %s\n", s->output, strerror(errno));
		return -1;
	}
	if (snprintf(s->temps, sizeof(s->temps), "%s/.spincc-XXXXXX", absolute) >= (int)sizeof(s->temps) - 64 || !mkdtemp(s->temps)) {
		fprintf(stderr, "spincc: cannot write beside %s: %s\n", s->output, strerror(errno));
		s->temps[0] = '\0';
		return -1;
	}
	return 0;
}

void temps__path(const struct spincc *s, const char *name, char path[PATH_MAX])
{
	if (snprintf(path, PATH_MAX, "%s/%s", s->temps, name) >= PATH_MAX)
		path[0] = '\0';
}

static int move(struct spincc *s, const char *name, const char *to)
{
	char from[PATH_MAX];

	temps__path(s, name, from);
	if (rename(from, to)) {
		fprintf(stderr, "spincc: cannot write %s: %s\n", to, strerror(errno));
		return -1;
	}
	return 0;
}

int temps__publish(struct spincc *s, const char *name)
{
	char elf[PATH_MAX];

	if (signals__caught())
		return -1;
	if (s->save_temps && (!strcmp(s->target, "fat") || !strcmp(s->target, "nfp")) && !strcmp(s->api, "spin")) {
		if (snprintf(elf, sizeof(elf), "%s.elf", s->output) >= (int)sizeof(elf) || move(s, "rv32.elf", elf))
			return -1;
	}
	return move(s, name, s->output);
}

void temps__remove(struct spincc *s)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *dir;

	if (!s->temps[0])
		return;
	dir = opendir(s->temps);
	while (dir && (entry = readdir(dir))) {
		temps__path(s, entry->d_name, path);
		if (entry->d_name[0] != '.')
			unlink(path);
	}
	if (dir)
		closedir(dir);
	rmdir(s->temps);
	s->temps[0] = '\0';
}
