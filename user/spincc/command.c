/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs compilers and tools as child processes, and collects their stderr and exit status. Called by build.c; card.c and pspin.c also build
 * command lines. A signal to spincc also ends the child.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/spincc/spincc.h"

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

static void read_all(int fd, struct text *out)
{
	FILE *to = open_memstream(&out->data, &out->bytes);
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR && !signals__caught()))
		if (to && n > 0)
			fwrite(chunk, 1, (size_t)n, to);
	if (to)
		fclose(to);
	close(fd);
}

static void report_exec_error(const char *tool, int err)
{
	const char *base = strrchr(tool, '/') ? strrchr(tool, '/') + 1 : tool;

	for (size_t i = 0; err == ENOENT && i < sizeof(packages) / sizeof(packages[0]); i++)
		if (!strcmp(base, packages[i].tool)) {
			fprintf(stderr, "spincc: %s is missing: install the package %s (apt-get install %s)\n", tool, packages[i].package,
				packages[i].package);
			return;
		}
	fprintf(stderr, "spincc: cannot run %s: %s\n", tool, strerror(err));
}

/* Runs in the child. An error before exec is returned as errno through a pipe that exec closes. */
static void exec_child(struct command *c, int to_parent, int status)
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

int command__run(struct spincc *s, struct command *c, struct text *output)
{
	int out[2], status[2], exec_errno = 0, rc = 0;
	pid_t pid;

	*output = (struct text){ 0 };
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
		exec_child(c, out[1], status[1]);
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
	read_all(out[0], output);
	while (waitpid(pid, &rc, 0) < 0 && errno == EINTR)
		;
	signals__child(0);
	if (s->verifier_log && output->data)
		fputs(output->data, stderr);
	if (exec_errno)
		report_exec_error(c->words[0], exec_errno);
	if (exec_errno || signals__caught())
		return -1;
	return WIFEXITED(rc) && WEXITSTATUS(rc) == 0 ? 0 : 1;
}
