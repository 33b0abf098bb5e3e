/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Starts and ends a spind (the daemon that attaches handlers to sockets for unprivileged users) for tests and benchmarks of handlers on
 * sockets (spind.h). It has its own directory, and dies with the test.
 */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/features.h"
#include "tests/common/built.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define NOBODY 65534

void spind__restart(struct spind *spind)
{
	int out[2];
	char line[200] = "";

	if (pipe(out))
		die("spind: no pipe");
	spind->pid = fork();
	if (!spind->pid) {
		const char *other = getenv("SPIND");
		char program[600], log[100];
		int fd;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		snprintf(log, sizeof(log), "%s/log", spind->directory);
		fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
		if (fd >= 0)
			dup2(fd, 2);
		dup2(out[1], 1);
		close(out[0]);
		close(out[1]);
		snprintf(program, sizeof(program), "%s%s", other ? other : built_dir(), other ? "" : "/bin/spind");
		execl(program, "spind", "--socket", spind->socket, "--settings", spind->settings, (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	if (read(out[0], line, sizeof(line) - 1) <= 0 || !strstr(line, "listens"))
		die("spind does not start");
	close(out[0]);
}

void spind__start(struct spind *spind, const char *settings)
{
	char refusal[256];
	int fd;

	if (geteuid()) {
		printf("skip: needs root\n");
		exit(77);
	}
	if (!kernel_feature__has(KERNEL_ISOLATED)) {
		printf("skip: %s\n", kernel_feature__refusal(KERNEL_ISOLATED, refusal, sizeof(refusal)));
		exit(77);
	}
	snprintf(spind->directory, sizeof(spind->directory), "/tmp/spind-test-XXXXXX");
	if (!mkdtemp(spind->directory) || chmod(spind->directory, 0755))
		die("spind: no directory in /tmp");
	snprintf(spind->socket, sizeof(spind->socket), "%s/socket", spind->directory);
	snprintf(spind->settings, sizeof(spind->settings), "%s/settings", spind->directory);
	fd = open(spind->settings, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, settings, strlen(settings)) != (ssize_t)strlen(settings))
		die("spind: no settings");
	close(fd);
	spind__restart(spind);
}

void spind__kill(struct spind *spind, int signal)
{
	if (!spind->pid)
		return;
	kill(spind->pid, signal);
	waitpid(spind->pid, NULL, 0);
	spind->pid = 0;
}

/*
 * Finds the processes whose command line names the test's directory. Sends each `signal` (0: none), and returns their number; *one is one
 * of them.
 */
static unsigned for_each_holder(const struct spind *spind, int signal, pid_t *one)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	unsigned count = 0;

	while (proc && (entry = readdir(proc))) {
		char path[300], line[4096] = "";
		pid_t pid = atoi(entry->d_name);
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		if (pid <= 0 || pid == spind->pid || (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
			continue;
		for (ssize_t i = read(fd, line, sizeof(line) - 1); i-- > 0;)
			if (!line[i])
				line[i] = ' ';
		close(fd);
		if (strncmp(line, "spind ", 6) || !strstr(line, spind->directory))
			continue;
		count++;
		if (one)
			*one = pid;
		if (signal)
			kill(pid, signal);
	}
	if (proc)
		closedir(proc);
	return count;
}

unsigned spind__holders(const struct spind *spind)
{
	return for_each_holder(spind, 0, NULL);
}

pid_t spind__holder(const struct spind *spind)
{
	pid_t pid = 0;

	for_each_holder(spind, 0, &pid);
	return pid;
}

void spind__kill_holders(const struct spind *spind)
{
	for_each_holder(spind, SIGKILL, NULL);
}

void spind__cleanup(struct spind *spind)
{
	char command[160];

	spind__kill(spind, SIGKILL);
	for_each_holder(spind, SIGKILL, NULL);
	snprintf(command, sizeof(command), "rm -rf '%s'", spind->directory);
	if (system(command))
		printf("%s stays\n", spind->directory);
}

int spind__run_in_child(struct spind *spind, int (*test)(void))
{
	int status = 1;
	pid_t child = fork();

	if (!child)
		exit(test());
	waitpid(child, &status, 0);
	spind__cleanup(spind);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

unsigned spind__stderr_lines(const struct spind *spind)
{
	char path[100], line[300];
	unsigned count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/log", spind->directory);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		/* LeakSanitizer, in a process that a thread has forked, of the other threads */
		if (strstr(line, " was not suspended. False leaks are possible."))
			continue;
		printf("spind says: %s", line);
		count++;
	}
	if (file)
		fclose(file);
	return count;
}

struct spin_ctx *spind__try_attach(const struct spind *spind, int fd, const struct spin_object *obj, const char *name)
{
	const struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind->socket, .name = name };
	struct spin_ctx *ctx;

	return spin_socket__attach(fd, obj, &opts, &ctx) ? NULL : ctx;
}

struct spin_ctx *spind__attach(const struct spind *spind, int fd, const struct spin_object *obj, const char *name)
{
	struct spin_ctx *ctx = spind__try_attach(spind, fd, obj, name);

	if (!ctx)
		die("attach: %s", spin_strerror_last());
	return ctx;
}

void spind__drop_privileges(void)
{
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) || !geteuid())
		die("cannot become nobody");
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* changing the user clears it */
}
