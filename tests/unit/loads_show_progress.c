/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests what is shown while the kernel verifies a program: a terminal must show one line, which is erased at the end; other outputs get one
 * line after 10 s. As root, also tests spincc with a handler that exceeds the verifier's limit; a signal must end it cleanly. Run by
 * tests/run.
 */
#include <dirent.h>
#include <errno.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "tests/common/expect.h"

#include "user/lib/load_progress.h"

#define SLOW_HANDLER "tests/diagnostics/refused/verifier/too_many_paths.c"
#define ERASE        "\r\033[K"

static char text[65536];

static void fail_with_text(const char *what)
{
	printf("it printed: '%s'\n", text);
	fail(what);
}

static void expect_text(const char *part)
{
	if (!strstr(text, part)) {
		printf("without '%s'\n", part);
		fail_with_text("a part of it");
	}
}

/* Replaces stderr by a terminal or a pipe; returns the descriptor of the reading end. */
static int replace_stderr(int terminal)
{
	int ends[2];

	if (terminal ? openpty(&ends[0], &ends[1], NULL, NULL, NULL) : pipe(ends))
		fail("a terminal or pipe");
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	return ends[0];
}

/* Reads until the other side is closed, which read() reports as an error on a terminal. */
static void read_to_end(int fd, size_t have)
{
	ssize_t n;

	while ((n = read(fd, text + have, sizeof(text) - 1 - have)) > 0)
		have += (size_t)n;
	text[have] = '\0';
	close(fd);
}

/* Prints the progress of 12 s of one program and 11 s of the next. */
static void print(int terminal)
{
	struct load_progress p = { .command = "spincc", .file = "/some/where/count.c" };
	int saved = dup(STDERR_FILENO), fd = replace_stderr(terminal);

	for (unsigned s = 1; s <= 12; s++)
		load_progress__print(&p, "count", "spin_xdp", s);
	for (unsigned s = 1; s <= 11; s++)
		load_progress__print(&p, "count", "spin_copied", s);
	load_progress__print(&p, "count", NULL, 0);
	dup2(saved, STDERR_FILENO);
	close(saved);
	read_to_end(fd, 0);
}

static void printed_on_a_terminal(void)
{
	size_t length;

	print(1);
	expect_text(ERASE "spincc: verifying spin_xdp of count.c: 12 s" ERASE "spincc: verifying spin_copied of count.c: 1 s");
	if (strchr(text, '\n'))
		fail_with_text("a line more on the terminal");
	length = strlen(text);
	if (length < strlen(ERASE) || strcmp(text + length - strlen(ERASE), ERASE))
		fail_with_text("the line is not erased");
}

static void printed_into_a_file(void)
{
	unsigned lines = 0;

	print(0);
	expect_text("spincc: the kernel has been verifying spin_xdp of count.c for 10 s;");
	expect_text("spincc: the kernel has been verifying spin_copied of count.c for 10 s;");
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	if (lines != 2 || strchr(text, '\033'))
		fail_with_text("not one line for each program");
}

static pid_t start_spincc(const char *directory, int *terminal)
{
	const char *build = getenv("BUILD");
	char spincc[4096], output[4096];
	pid_t pid;

	snprintf(spincc, sizeof(spincc), "%s/bin/spincc", build && *build ? build : "build");
	snprintf(output, sizeof(output), "%s/x.spin", directory);
	pid = forkpty(terminal, NULL, NULL, NULL);
	if (!pid) {
		execl(spincc, spincc, SLOW_HANDLER, "-o", output, NULL);
		_exit(126);
	}
	if (pid < 0)
		fail("forkpty");
	return pid;
}

/* Reads until `part` has appeared. */
static size_t read_until(int fd, const char *part)
{
	size_t have = 0;
	ssize_t n;

	text[0] = '\0';
	while (!strstr(text, part)) {
		n = read(fd, text + have, sizeof(text) - 1 - have);
		if (n <= 0)
			fail_with_text(part);
		have += (size_t)n;
		text[have] = '\0';
	}
	return have;
}

static void empty(const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			fail("a file is left behind");
	if (dir)
		closedir(dir);
}

/* The kernel's error must replace the progress line. */
static void spincc_shows_it(const char *directory)
{
	int fd, status;
	pid_t pid = start_spincc(directory, &fd);
	const char *last;

	read_to_end(fd, read_until(fd, "spincc: verifying spin_xdp of too_many_paths.c: "));
	waitpid(pid, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 1)
		fail_with_text("the exit status");
	last = strstr(text, ERASE SLOW_HANDLER ":");
	if (!last || strstr(last, "verifying"))
		fail_with_text("the line is not erased before what follows");
	empty(directory);
}

static void signal_ends_it(const char *directory, int by)
{
	int fd, status;
	pid_t pid = start_spincc(directory, &fd);
	size_t have = read_until(fd, "spincc: verifying spin_xdp of too_many_paths.c: ");

	kill(pid, by);
	read_to_end(fd, have);
	waitpid(pid, &status, 0);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != by)
		fail_with_text("the signal is not what it ended of");
	expect_text(ERASE "spincc: ");
	expect_text("a signal interrupted the kernel");
	if (strstr(text, ": 5 s"))
		fail_with_text("the load went on");
	empty(directory);
}

int main(void)
{
	char directory[] = "/tmp/load_progress-XXXXXX";

	printed_on_a_terminal();
	printed_into_a_file();
	if (geteuid()) {
		printf("skip: spincc with the kernel's verifier needs root\n");
		return 77;
	}
	if (!mkdtemp(directory))
		fail("mkdtemp");
	spincc_shows_it(directory);
	signal_ends_it(directory, SIGINT);
	signal_ends_it(directory, SIGTERM);
	rmdir(directory);
	return 0;
}
