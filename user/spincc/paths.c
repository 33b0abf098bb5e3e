/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the directories of the runtime's sources and of the handler, and converts file names in compiler output to the names that
 * users know. Called by main.c and by the files that report lines.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/spincc/spincc.h"

static int is_root(const char *root)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/handlers/include/spin/spin.h", root);
	return access(path, R_OK) == 0;
}

static int find_root(struct spincc *s)
{
	const char *home = getenv("SPIN_HOME");
	char self[PATH_MAX], place[PATH_MAX + 32], *slash;
	ssize_t n;

	if (home && *home) {
		if (realpath(home, s->root) && is_root(s->root))
			return 0;
		fprintf(stderr,
			"spincc: SPIN_HOME=%s has no handlers/include/spin/spin.h: set it to the directory that "
			"has\n",
			home);
		return -1;
	}
	/* built: some directory above the executable; installed: PREFIX/share/spin */
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	for (self[n > 0 ? n : 0] = '\0'; (slash = strrchr(self, '/')); *slash = '\0') {
		snprintf(place, sizeof(place), "%.*s", (int)(slash - self), self);
		if (realpath(*place ? place : "/", s->root) && is_root(s->root))
			return 0;
		snprintf(place, sizeof(place), "%.*s/share/spin", (int)(slash - self), self);
		if (realpath(place, s->root) && is_root(s->root))
			return 0;
	}
	fprintf(stderr, "spincc: cannot find the handler API (handlers/include/spin/spin.h): set SPIN_HOME to the "
			"source directory\n");
	return -1;
}

/* Returns 1 if the path can be part of a macro and of an assembler string. */
static int is_plain(const char *path)
{
	if (!strpbrk(path, "\"\\\n"))
		return 1;
	fprintf(stderr, "spincc: %s: quotes and backslashes in paths are not supported: rename it\n", path);
	return 0;
}

int paths__find(struct spincc *s)
{
	struct stat st;

	if (!getcwd(s->directory, sizeof(s->directory)))
		s->directory[0] = '\0';
	if (!realpath(s->handler, s->handler_path) || stat(s->handler_path, &st)) {
		fprintf(stderr, "spincc: cannot open %s: %s\n", s->handler, strerror(errno));
		return -1;
	}
	if (!S_ISREG(st.st_mode)) {
		fprintf(stderr, "spincc: %s is not a file with handlers\n", s->handler);
		return -1;
	}
	return is_plain(s->handler_path) && is_plain(s->output) && !find_root(s) ? 0 : -1;
}

static int starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns 1 for a file of the runtime or the system. A relative path is the runtime's if the file exists there. */
static int is_runtime(const struct spincc *s, const char *file)
{
	static const char *const runtime[] = { "handlers/include/spin/", "handlers/include/pspin/", "bpf/", "hwmodel/" };
	char path[2 * PATH_MAX];

	for (size_t i = 0; i < sizeof(runtime) / sizeof(runtime[0]); i++)
		if (starts(file, runtime[i])) {
			snprintf(path, sizeof(path), "%s/%s", s->root, file);
			return access(path, F_OK) == 0;
		}
	return starts(file, "/usr/") || *file == '<' || *file == '{';
}

const char *paths__user_name(const struct spincc *s, const char *file, char name[PATH_MAX])
{
	size_t root = strlen(s->root), directory = strlen(s->directory);

	if (!strcmp(base_name(file), base_name(s->handler_path))) {
		snprintf(name, PATH_MAX, "%s", s->handler);
		return name;
	}
	if (!strncmp(file, s->root, root) && file[root] == '/')
		file += root + 1;
	else if (directory && !strncmp(file, s->directory, directory) && file[directory] == '/')
		file += directory + 1;
	else if (starts(file, "./"))
		file += 2;
	/* linkers join the directory's and the file's mapped prefix in their own way, so hwmodel/image/ may be anywhere */
	if (is_runtime(s, file) || strstr(file, "hwmodel/image/"))
		return NULL;
	snprintf(name, PATH_MAX, "%s", file);
	return name;
}
