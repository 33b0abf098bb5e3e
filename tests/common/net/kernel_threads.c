/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Adds up the CPU time of kernel threads by the start of their names, for tests/bench/hpus.c. A thread that is not visible counts as 0. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "tests/common/net/kernel_threads.h"

/* Reads the first line of a process's file; empty if the process has ended. */
static void read_line(const char *pid, const char *file, char *line, int bytes)
{
	char path[300];
	FILE *from;

	line[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%s/%s", pid, file);
	from = fopen(path, "re");
	if (!from)
		return;
	if (!fgets(line, bytes, from))
		line[0] = '\0';
	fclose(from);
}

uint64_t kernel_threads__cpu_ns(const char *prefix)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	unsigned long long one;
	uint64_t all = 0;
	char line[128];

	while (proc && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		read_line(entry->d_name, "comm", line, sizeof(line));
		if (strncmp(line, prefix, strlen(prefix)))
			continue;
		read_line(entry->d_name, "schedstat", line, sizeof(line)); /* running, waiting, time slices */
		if (sscanf(line, "%llu", &one) == 1)
			all += one;
	}
	if (proc)
		closedir(proc);
	return all;
}
