/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Runs spincc in a child process; its messages go to stderr. Called by tool/handler.c and by spinctl cost. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/tool/compile.h"
#include "user/tool/error.h"
#include "user/tool/notify.h"

#define ARGS_MAX 64

/* Finds spincc in the directory of this executable; otherwise gives only the name, which execvp() looks up in PATH. */
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

/* Compilers that are killed leave temporary files. Sets TMPDIR so that these are in the output's directory. */
static void keep_temps_in(const char *output)
{
	char directory[PATH_MAX];
	const char *slash = strrchr(output, '/');

	snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - output) : 1, slash ? output : ".");
	setenv("TMPDIR", directory, 1);
}

static void exec_spincc(char **args, const char *output)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* if this process is killed, spincc cleans up and ends */
	keep_temps_in(output);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	execvp(args[0], args);
	fprintf(stderr, "spinctl: cannot run %s: %s; put it beside spinctl or in PATH\n", args[0], strerror(errno));
	_exit(127);
}

int compile__run(const char *source, const char *target, const char *output, int verify, const struct option_list *extra)
{
	char path[PATH_MAX], *args[ARGS_MAX] = { path, "--target", (char *)target, "-o", (char *)output };
	unsigned count = 5;
	pid_t compiler;
	int rc;

	if (!verify)
		args[count++] = "--no-verify";
	for (unsigned i = 0; extra && i < extra->count; i++) {
		if (count == ARGS_MAX - 3)
			return report_error("more than %d options for the compiler", ARGS_MAX - 9);
		args[count++] = (char *)extra->items[i];
	}
	args[count++] = "--";
	args[count++] = (char *)source;
	find_spincc(path);
	fflush(stdout);
	if (signals__signal())
		return FAILED;
	compiler = fork();
	if (compiler == 0)
		exec_spincc(args, output);
	if (compiler < 0)
		return report_error("cannot start spincc: %s", strerror(errno));
	setpgid(compiler, compiler); /* parent and child both do this: either may run first */
	signals__child(compiler);
	while (waitpid(compiler, &rc, 0) < 0 && errno == EINTR)
		;
	signals__child(0);
	if (signals__signal())
		return FAILED;
	if (WIFSIGNALED(rc))
		return report_error("spincc was stopped by signal %d", WTERMSIG(rc));
	return WEXITSTATUS(rc) ? FAILED : DONE; /* spincc has printed the reason */
}
