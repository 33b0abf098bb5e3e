/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * For commands that run until a signal: reports to other processes that handlers are attached, by a descriptor and by a file (spinctl run,
 * record, recv), and handles the signals that stop a command (notify.h). The ready file must be new: a file or link that another user has
 * created since ready__begin() is not written.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "user/lib/interrupt.h"
#include "user/tool/error.h"
#include "user/tool/notify.h"

static const char ready_line[] = "ready\n";

static int create_ready_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, ready_line, sizeof(ready_line) - 1) < 0) {
		int err = errno;

		if (fd >= 0)
			close(fd);
		if (err == EEXIST)
			return report_error("cannot write %s: somebody made another file or a link there in the meantime; name one in a "
					    "directory that others cannot write to",
					    path);
		return report_error("cannot write %s: %s", path, strerror(err));
	}
	close(fd);
	return DONE;
}

int ready__begin(const char *path)
{
	if (path && unlink(path) && errno != ENOENT)
		return report_error("cannot remove %s of an earlier run: %s", path, strerror(errno));
	return DONE;
}

int ready__notify(unsigned fd, const char *path)
{
	if (fd != READY_NO_FD) {
		if (write((int)fd, ready_line, sizeof(ready_line) - 1) < 0)
			return report_error("--ready-fd %u: %s", fd, strerror(errno));
		close((int)fd);
	}
	return path ? create_ready_file(path) : DONE;
}

double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static volatile sig_atomic_t stop_signal;
static volatile pid_t child;

static void on_signal(int sig)
{
	stop_signal = sig;
	if (child > 0)
		kill(-child, SIGTERM);
	interrupt__loads();
}

void signals__watch(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

int signals__signal(void)
{
	return stop_signal;
}

void signals__child(pid_t pid)
{
	child = pid;
	if (pid > 0 && stop_signal)
		kill(-pid, SIGTERM);
}

void signals__end(void)
{
	if (!stop_signal)
		return;
	fflush(stdout);
	signal(stop_signal, SIG_DFL);
	raise(stop_signal);
}
