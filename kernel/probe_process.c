/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Reads what confines this process: namespaces, capabilities, seccomp, lockdown, limits. Called by `spinctl doctor`. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/magic.h>

#include "kernel/probe_process.h"
#include "kernel/textfile.h"

/* The initial user and PID namespaces have fixed inode numbers (include/linux/proc_ns.h of the kernel). */
#define FIRST_USER_NS 0xeffffffdu
#define FIRST_PID_NS  0xeffffffcu

static int is_first(const char *path, ino_t first)
{
	struct stat st;

	return stat(path, &st) || st.st_ino == first; /* a kernel without such namespaces has only the initial one */
}

/* Copies the word in brackets of "[none] integrity confidentiality". */
static void read_lockdown(char *out, size_t bytes)
{
	char line[128], *open, *close;

	out[0] = '\0';
	if (textfile__line(AT_FDCWD, "/sys/kernel/security/lockdown", line, sizeof(line)))
		return;
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		snprintf(out, bytes, "%.*s", (int)(close - open - 1), open + 1);
}

static void read_container(char *out, size_t bytes)
{
	const char *name = getenv("container"); /* systemd's convention, which podman and lxc share */

	if (name && *name)
		snprintf(out, bytes, "%s", name);
	else if (!access("/.dockerenv", F_OK))
		snprintf(out, bytes, "docker");
	else if (!access("/run/.containerenv", F_OK))
		snprintf(out, bytes, "podman");
	else if (getenv("KUBERNETES_SERVICE_HOST"))
		snprintf(out, bytes, "kubernetes");
	else
		out[0] = '\0';
}

void kernel_process__read(struct probe_process *out)
{
	struct rlimit limit;
	struct statfs fs;
	char text[128];

	*out = (struct probe_process){ .seccomp_filters = -1 };
	if (!textfile__field("/proc/self/status", "CapEff:", text, sizeof(text)))
		out->capabilities = strtoull(text, NULL, 16);
	if (!textfile__field("/proc/self/status", "Seccomp:", text, sizeof(text)))
		out->seccomp_filters = atoi(text);
	out->own_user_namespace = !is_first("/proc/self/ns/user", FIRST_USER_NS);
	out->pid_namespace = !is_first("/proc/self/ns/pid", FIRST_PID_NS);
	out->kernel_threads_visible = !textfile__line(AT_FDCWD, "/proc/2/comm", text, sizeof(text)) && !strcmp(text, "kthreadd");
	out->memlock_bytes = getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : (uint64_t)limit.rlim_cur;
	read_lockdown(out->lockdown, sizeof(out->lockdown));
	out->unprivileged_bpf = (int)textfile__number(AT_FDCWD, "/proc/sys/kernel/unprivileged_bpf_disabled", -1);
	read_container(out->container, sizeof(out->container));
	out->own_bpffs = !statfs("/sys/fs/bpf", &fs) && (unsigned long)fs.f_type == BPF_FS_MAGIC;
}

unsigned kernel_process__count(const char *prefix)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned count = 0;

	while (proc && (entry = readdir(proc))) {
		char path[300], name[128];

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		count += !textfile__line(AT_FDCWD, path, name, sizeof(name)) && !strncmp(name, prefix, strlen(prefix));
	}
	if (proc)
		closedir(proc);
	return count;
}

int kernel_process__can(const struct probe_process *p, int capability)
{
	return (int)(p->capabilities >> capability & 1);
}
