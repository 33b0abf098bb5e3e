/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handles SIGINT, SIGTERM, SIGHUP and SIGPIPE: the child is terminated first, then temporary files are removed, then spincc
 * ends by the same signal. Called by main.c and command.c.
 */
#include <signal.h>
#include <stddef.h>

#include "user/lib/interrupt.h"
#include "user/spincc/spincc.h"

static volatile sig_atomic_t caught, child;

static void on_signal(int sig)
{
	caught = sig;
	if (child > 0)
		kill((pid_t)child, SIGTERM);
	interrupt__loads();
}

int signals__caught(void)
{
	return caught;
}

void signals__child(int pid)
{
	child = pid;
	if (caught && pid > 0)
		kill(pid, SIGTERM);
}

void signals__watch(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction action = { .sa_handler = on_signal };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}
