/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The temporary directory of a compilation, next to the output. main.c makes and removes it; all steps write their files to it. The result
 * leaves it by rename, so an output file is complete or absent. What a killed spincc left is removed by the next one that writes to the
 * same directory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/lib/locked_directory.h"
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
	s->temps_lock_fd = locked_directory__make(absolute, ".spincc-", s->temps, sizeof(s->temps) - 64);
	if (s->temps_lock_fd < 0) {
		fprintf(stderr, "spincc: cannot write beside %s: %s\n", s->output, strerror(-s->temps_lock_fd));
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
	if (!s->temps[0])
		return;
	locked_directory__remove(s->temps, s->temps_lock_fd);
	s->temps[0] = '\0';
}
