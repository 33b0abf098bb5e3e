/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_CHILD_H
#define TESTS_COMMON_CHILD_H

/* Processes of a test that are to be killed. */
#include <sys/types.h>

/* Runs fn(arg) in a network namespace; ends with the process that started it. */
pid_t child__start(int ns, int (*fn)(int arg), int arg);
/* By SIGKILL, and waits for it; *pid is 0 then, and may have been. 1: it was alive. */
unsigned child__kill(pid_t *pid);

#endif
