/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Interrupts loads of BPF programs, which can take minutes. Called by the commands' signal handlers. The verifier gives up when a
 * signal is pending, but libbpf then retries five times. One signal is not enough, so a timer sends more.
 */
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

#include "user/lib/interrupt.h"

#define INTERVAL_US 10000

static void on_alarm(int signal)
{
	(void)signal;
}

void interrupt__loads(void)
{
	const struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	const struct itimerval interval = { { 0, INTERVAL_US }, { 0, INTERVAL_US } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &interval, NULL);
}
