/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_PINNED_H
#define TESTS_COMMON_PINNED_H

/* Threads that stay on one CPU each, so that several of them run at the same time. */
#include <pthread.h>

/* Begins fn(arg) on CPU `i` modulo how many are online. Ends the program where that cannot be. */
void pinned__start(pthread_t *thread, unsigned i, void *(*fn)(void *arg), void *arg);

#endif
