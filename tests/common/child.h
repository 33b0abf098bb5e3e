/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_CHILD_H
#define TESTS_COMMON_CHILD_H

/*
 * Child processes that a test kills, to see what they leave behind: used by tests in tests/live, tests/ring and tests/transfer. A failure
 * to start or to wait ends the test.
 */
#include <sys/types.h>

/* Runs fn(arg) in a network namespace. The child dies with the process that started it. */
pid_t child__start(int ns, int (*fn)(int arg), int arg);
/* Sends SIGKILL, waits for the child and sets *pid to 0. *pid may already be 0. Returns 1 if the child was alive. */
unsigned child__kill(pid_t *pid);

#endif
