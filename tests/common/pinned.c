/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Starts a thread on one CPU (pinned.h). Used by tests/messages/flows_on_many_cpus.c and many_cpus_one_message.c. A failure ends the
 * program.
 */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/common/pinned.h"

void pinned__start(pthread_t *thread, unsigned i, void *(*fn)(void *arg), void *arg)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_attr_t attr;
	cpu_set_t set;

	if (cpus < 1)
		abort();
	CPU_ZERO(&set);
	CPU_SET(i % (unsigned)cpus, &set);
	if (pthread_attr_init(&attr) || pthread_attr_setaffinity_np(&attr, sizeof(set), &set) || pthread_create(thread, &attr, fn, arg))
		abort();
	pthread_attr_destroy(&attr);
}
