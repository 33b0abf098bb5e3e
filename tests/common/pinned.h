/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_PINNED_H
#define TESTS_COMMON_PINNED_H

/*
 * Threads pinned to one CPU each, so that several of them run at the same time. Used by tests/messages/flows_on_many_cpus.c and
 * many_cpus_one_message.c.
 */
#include <pthread.h>

/* Starts fn(arg) on CPU `i` modulo the number of online CPUs. Ends the program if that fails. */
void pinned__start(pthread_t *thread, unsigned i, void *(*fn)(void *arg), void *arg);

#endif
