/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_NETNS_H
#define TESTS_COMMON_NETNS_H

/*
 * Unnamed network namespaces that only this process holds, for tests in tests/live, tests/ring, tests/sockets and others. Nothing remains
 * when it ends.
 */

/* Creates a namespace, enters it and returns its descriptor. Ends the test as skipped (77) without permission. */
int netns_new(void);
/* Returns a descriptor of this thread's namespace. */
int netns_here(void);
/* Moves this thread to a namespace. Ends the test as failed on error. */
void netns_enter(int fd);
/* Runs a shell command in this thread's namespace. Ends the test as failed if the command fails. */
void netns_shell(const char *command);
/*
 * Enables GRO, and a NAPI thread for each queue of a device in this thread's namespace. Must be called once, before other threads are
 * started: this thread gets a mount namespace of its own. Ends the test as skipped if this is not supported.
 */
void netns_thread_napi(const char *dev);

#endif
