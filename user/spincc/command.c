/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spincc.h"

static const struct {
	const char *tool, *package;
} packages[] = {
	{ "clang", "clang" },
	{ "riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf" },
	{ "gcc", "gcc" },
};

void command__add(struct command *c, const char *format, ...)
{
	va_list args;

	if (c->count == COMMAND_WORDS_MAX)
		return;
	va_start(args, format);
	if (vasprintf(&c->words[c->count], format, args) >= 0)
		c->words[++c->count] = NULL;
	va_end(args);
}

void command__free(struct command *c)
{
	for (unsigned i = 0; i < c->count; i++)
		free(c->words[i]);
	c->count = 0;
}

/* One line of a compiler's diagnostics, with the handler's path as the user wrote it. */
static void pass_on(const struct spincc *s, const char *line)
{
	size_t length = strlen(s->handler_path);
	const char *hit;

	while ((hit = strstr(line, s->handler_path))) {
		fprintf(stderr, "%.*s%s", (int)(hit - line), line, s->handler);
		line = hit + length;
	}
	fputs(line, stderr);
}

static void relay(const struct spincc *s, int fd)
{
	FILE *from = fdopen(fd, "r");
	char *line = NULL;
	size_t bytes = 0;

	if (!from) {
		close(fd);
		return;
	}
	while (getline(&line, &bytes, from) > 0)
		pass_on(s, line);
	free(line);
	fclose(from);
}

static void missing(const char *tool, int err)
{
	const char *base = strrchr(tool, '/') ? strrchr(tool, '/') + 1 : tool;

	for (size_t i = 0; err == ENOENT && i < sizeof(packages) / sizeof(packages[0]); i++)
		if (!strcmp(base, packages[i].tool)) {
			fprintf(stderr, "spincc: %s is missing: install the package %s (apt-get install %s)\n",
				tool, packages[i].package, packages[i].package);
			return;
		}
	fprintf(stderr, "spincc: cannot run %s: %s\n", tool, strerror(err));
}

/* In the child; what goes wrong before exec comes back as errno through a pipe that exec closes. */
static void child(struct command *c, int to_parent, int status)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	dup2(to_parent, STDERR_FILENO);
	execvp(c->words[0], c->words);
	if (write(status, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

int command__run(struct spincc *s, struct command *c)
{
	int out[2], status[2], exec_errno = 0, rc = 0;
	pid_t pid;

	if (signals__caught())
		return -1;
	if (s->verbose) {
		for (unsigned i = 0; i < c->count; i++)
			fprintf(stderr, "%s%s", i ? " " : "", c->words[i]);
		fputc('\n', stderr);
	}
	if (pipe2(out, O_CLOEXEC) || pipe2(status, O_CLOEXEC)) {
		fprintf(stderr, "spincc: cannot make a pipe: %s\n", strerror(errno));
		return -1;
	}
	pid = fork();
	if (pid == 0)
		child(c, out[1], status[1]);
	close(out[1]);
	close(status[1]);
	if (pid < 0) {
		fprintf(stderr, "spincc: cannot start %s: %s\n", c->words[0], strerror(errno));
		close(out[0]);
		close(status[0]);
		return -1;
	}
	signals__child(pid);
	if (read(status[0], &exec_errno, sizeof(exec_errno)) != sizeof(exec_errno))
		exec_errno = 0;
	close(status[0]);
	relay(s, out[0]);
	while (waitpid(pid, &rc, 0) < 0 && errno == EINTR)
		;
	signals__child(0);
	if (exec_errno)
		missing(c->words[0], exec_errno);
	else if (WIFSIGNALED(rc) && !signals__caught())
		fprintf(stderr, "spincc: %s was stopped by signal %d\n", c->words[0], WTERMSIG(rc));
	return WIFEXITED(rc) && WEXITSTATUS(rc) == 0 && !signals__caught() ? 0 : -1;
}
