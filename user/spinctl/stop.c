/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <signal.h>
#include <stdio.h>

#include "user/lib/interrupt.h"
#include "user/spinctl/stop.h"

static volatile sig_atomic_t stopped;
static volatile pid_t child;

static void on_signal(int sig)
{
	stopped = sig;
	if (child > 0)
		kill(-child, SIGTERM);
	interrupt__loads();
}

void stop__watch(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

int stop__signal(void)
{
	return stopped;
}

void stop__child(pid_t pid)
{
	child = pid;
	if (pid > 0 && stopped)
		kill(-pid, SIGTERM);
}

void stop__end(void)
{
	if (!stopped)
		return;
	fflush(stdout);
	signal(stopped, SIG_DFL);
	raise(stopped);
}
