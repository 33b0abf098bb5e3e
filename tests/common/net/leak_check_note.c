/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counts what could remain on the machine before and after a test: pinned BPF objects, namespaces, child processes; and the BPF objects
 * that noted processes held (leak_check.h). Called by tests that kill processes. Nothing more than before may remain.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "tests/common/net/leak_check.h"

#define PIN_DEPTH_MAX 8
#define TRIES         100
#define PAUSE_US      50000

static const struct {
	const char *name, *word; /* keyword in fdinfo */
	int (*next)(__u32 id, __u32 *next);
	int (*open)(__u32 id);
} kinds[LEAK_KINDS] = {
	[LEAK_MAP] = { "map", "map_id:", bpf_map_get_next_id, bpf_map_get_fd_by_id },
	[LEAK_PROGRAM] = { "program", "prog_id:", bpf_prog_get_next_id, bpf_prog_get_fd_by_id },
	[LEAK_LINK] = { "link", "link_id:", bpf_link_get_next_id, bpf_link_get_fd_by_id },
};

/* Counts the entries of a directory and its subdirectories. */
static unsigned count_entries(const char *path, int depth)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	unsigned count = 0;
	char below[512];

	while (dir && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		count++;
		if (entry->d_type == DT_DIR && depth < PIN_DEPTH_MAX &&
		    snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) < (int)sizeof(below))
			count += count_entries(below, depth + 1);
	}
	if (dir)
		closedir(dir);
	return count;
}

static unsigned count_pins(void)
{
	return count_entries("/sys/fs/bpf", 0);
}

static unsigned count_namespaces(void)
{
	return count_entries("/run/netns", 0);
}

void leak_check__begin(struct leak_check *l)
{
	*l = (struct leak_check){ .pins = count_pins(), .namespaces = count_namespaces() };
}

static int is_noted(const struct leak_check *l, enum leak_kind kind, unsigned id)
{
	for (unsigned i = 0; i < l->ids[kind]; i++)
		if (l->id[kind][i] == id)
			return 1;
	return 0;
}

static void add(struct leak_check *l, enum leak_kind kind, unsigned id)
{
	if (is_noted(l, kind, id))
		return;
	l->id[kind] = realloc(l->id[kind], (l->ids[kind] + 1) * sizeof(unsigned));
	if (!l->id[kind]) {
		perror("FAIL: realloc");
		exit(1);
	}
	l->id[kind][l->ids[kind]++] = id;
}

/* Notes one descriptor; for a link also its program. */
static void record_file(struct leak_check *l, const char *path)
{
	FILE *from = fopen(path, "re");
	char line[256];

	while (from && fgets(line, sizeof(line), from))
		for (unsigned kind = 0; kind < LEAK_KINDS; kind++)
			if (!strncmp(line, kinds[kind].word, strlen(kinds[kind].word)))
				add(l, kind, (unsigned)strtoul(line + strlen(kinds[kind].word), NULL, 10));
	if (from)
		fclose(from);
}

void leak_check__note(struct leak_check *l, pid_t pid)
{
	const struct dirent *entry;
	char path[320];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", (int)pid, entry->d_name);
		record_file(l, path);
	}
	if (dir)
		closedir(dir);
}

static int has_prefix(const char *name, const char *const *prefixes, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return 1;
	return 0;
}

/* Returns 0 if the object is still there; *info is its struct bpf_prog_info or bpf_link_info. */
static int read_info(enum leak_kind kind, unsigned id, void *info, uint32_t bytes)
{
	int fd = kinds[kind].open(id), err;

	if (fd < 0)
		return -1;
	memset(info, 0, bytes);
	err = bpf_obj_get_info_by_fd(fd, info, &bytes);
	close(fd);
	return err;
}

void leak_check__note_names(struct leak_check *l, const char *const *prefixes, unsigned count)
{
	struct bpf_prog_info program;
	struct bpf_link_info link;

	for (unsigned id = 0; !kinds[LEAK_PROGRAM].next(id, &id);)
		if (!read_info(LEAK_PROGRAM, id, &program, sizeof(program)) && has_prefix(program.name, prefixes, count))
			add(l, LEAK_PROGRAM, id);
	for (unsigned id = 0; !kinds[LEAK_LINK].next(id, &id);)
		if (!read_info(LEAK_LINK, id, &link, sizeof(link)) && is_noted(l, LEAK_PROGRAM, link.prog_id))
			add(l, LEAK_LINK, id);
}

static int exists(enum leak_kind kind, unsigned id)
{
	unsigned next;

	return !kinds[kind].next(id - 1, &next) && next == id;
}

const char *leak_check__left(struct leak_check *l, const struct leak_check *owned)
{
	static char text[96];
	const char *left = NULL;

	for (unsigned kind = 0; kind < LEAK_KINDS; kind++) {
		unsigned kept = 0;

		for (unsigned i = 0; i < l->ids[kind]; i++) {
			const unsigned id = l->id[kind][i];

			if (!exists(kind, id))
				continue;
			l->id[kind][kept++] = id;
			if (!left && !(owned && is_noted(owned, kind, id))) {
				snprintf(text, sizeof(text), "%s %u is left in the kernel", kinds[kind].name, id);
				left = text;
			}
		}
		l->ids[kind] = kept;
	}
	return left ? left : count_pins() > l->pins ? "something is left pinned in /sys/fs/bpf" : NULL;
}

void leak_check__free(struct leak_check *l)
{
	for (unsigned kind = 0; kind < LEAK_KINDS; kind++) {
		free(l->id[kind]);
		l->id[kind] = NULL;
		l->ids[kind] = 0;
	}
}

/* Returns the first id that still exists, or 0. */
static unsigned find_existing(const struct leak_check *l, enum leak_kind kind)
{
	unsigned id = 0;

	while (!kinds[kind].next(id, &id))
		for (unsigned i = 0; i < l->ids[kind]; i++)
			if (l->id[kind][i] == id)
				return id;
	return 0;
}

static const char *describe_leak(const struct leak_check *l)
{
	static char text[96];
	unsigned id;

	for (unsigned kind = 0; kind < LEAK_KINDS; kind++) {
		id = find_existing(l, kind);
		if (id) {
			snprintf(text, sizeof(text), "%s %u is left in the kernel", kinds[kind].name, id);
			return text;
		}
	}
	if (count_pins() > l->pins)
		return "something is left pinned in /sys/fs/bpf";
	if (count_namespaces() > l->namespaces)
		return "a named network namespace is left";
	return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? NULL : "a process is left";
}

const char *leak_check__end(struct leak_check *l)
{
	const char *left = describe_leak(l);

	for (int try = 0; left && try < TRIES; try++) {
		usleep(PAUSE_US);
		left = describe_leak(l);
	}
	leak_check__free(l);
	return left;
}
