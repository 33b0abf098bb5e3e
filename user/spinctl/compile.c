/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile.h"
#include "handler.h"
#include "spinctl.h"

#define WORDS_MAX 64

static volatile sig_atomic_t stopped;
static volatile pid_t compiler;

/* A terminal's ^C reaches spincc as well; a signal for us alone is passed on. */
static void on_signal(int sig)
{
	stopped = sig;
	if (compiler > 0)
		kill(compiler, SIGTERM);
}

void handler__watch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

int handler__stopped(void)
{
	return stopped;
}

void handler__end_as_stopped(void)
{
	if (!stopped)
		return;
	fflush(stdout);
	signal(stopped, SIG_DFL);
	raise(stopped);
}

/* The installed or built neighbour, or just the name, for PATH. */
static void find_spincc(char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 16);
	char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash) {
		snprintf(slash + 1, 8, "spincc");
		if (!access(path, X_OK))
			return;
	}
	snprintf(path, PATH_MAX, "spincc");
}

static void child(char **words)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	execvp(words[0], words);
	fprintf(stderr, "spinctl: cannot run %s: %s; put it beside spinctl or in PATH\n", words[0],
		strerror(errno));
	_exit(127);
}

int compile__run(const char *source, const char *target, const char *output, int verify,
		 const struct option_list *extra)
{
	char path[PATH_MAX], *words[WORDS_MAX] = { path, "--target", (char *)target, "-o", (char *)output };
	unsigned count = 5;
	int rc;

	if (!verify)
		words[count++] = "--no-verify";
	for (unsigned i = 0; extra && i < extra->count; i++) {
		if (count == WORDS_MAX - 3)
			return complain("more than %d options for the compiler", WORDS_MAX - 9);
		words[count++] = (char *)extra->items[i];
	}
	words[count++] = "--";
	words[count++] = (char *)source;
	find_spincc(path);
	fflush(stdout);
	if (stopped)
		return FAILED;
	compiler = fork();
	if (compiler == 0)
		child(words);
	if (compiler < 0)
		return complain("cannot start spincc: %s", strerror(errno));
	while (waitpid(compiler, &rc, 0) < 0 && errno == EINTR)
		if (stopped)
			kill(compiler, SIGTERM);
	compiler = 0;
	if (stopped)
		return FAILED;
	if (WIFSIGNALED(rc))
		return complain("spincc was stopped by signal %d", WTERMSIG(rc));
	return WEXITSTATUS(rc) ? FAILED : DONE; /* spincc has said why */
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	remove(path);
	return 0;
}

void compile__remove_folder(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
