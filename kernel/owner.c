/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Finds the process that holds a bpf_link, by its descriptors in /proc. Called by attach.c and spinctl status. Changes nothing. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/attach.h"

/* Returns 1 if /proc/PID/fdinfo/FD describes the link. */
static int fdinfo_is_of_link(const char *path, uint32_t link_id)
{
	FILE *f = fopen(path, "re");
	char line[128];
	unsigned id;
	int found = 0;

	if (!f)
		return 0;
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "link_id: %u", &id) == 1 && id == link_id;
	fclose(f);
	return found;
}

static int has_link(const char *pid, uint32_t link_id)
{
	char path[600];
	struct dirent *entry;
	DIR *dir;
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid, entry->d_name);
		found = fdinfo_is_of_link(path, link_id);
	}
	closedir(dir);
	return found;
}

int kernel_link__owner(uint32_t link_id, char *name, size_t name_bytes)
{
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	int pid = 0;

	snprintf(name, name_bytes, "?");
	if (!proc)
		return 0;
	while (!pid && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) && has_link(entry->d_name, link_id))
			pid = atoi(entry->d_name);
	closedir(proc);
	if (pid) {
		char path[64];
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		f = fopen(path, "re");
		if (f) {
			if (fgets(name, (int)name_bytes, f))
				name[strcspn(name, "\n")] = '\0';
			fclose(f);
		}
	}
	return pid;
}
