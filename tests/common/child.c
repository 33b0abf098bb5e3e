/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Runs a child process in a network namespace. The child dies with its parent. Used by tests that kill it (child.h). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/child.h"
#include "tests/common/net/netns.h"

pid_t child__start(int ns, int (*fn)(int arg), int arg)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		perror("FAIL: fork");
		exit(1);
	}
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		netns_enter(ns);
		_exit(fn(arg));
	}
	return pid;
}

unsigned child__kill(pid_t *pid)
{
	int status = 0;

	if (*pid <= 0)
		return 0;
	kill(*pid, SIGKILL);
	if (waitpid(*pid, &status, 0) != *pid) {
		perror("FAIL: waitpid");
		exit(1);
	}
	*pid = 0;
	return WIFSIGNALED(status);
}
