/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_NETNS_H
#define TESTS_COMMON_NETNS_H

/* Network namespaces without a name, which nothing but this process holds: for live tests. */

/* Moves to a new one and gives its descriptor; ends the test as skipped (77) where that is not permitted. */
int netns_new(void);
/* Moves this thread to one. Ends the test as failed if it cannot. */
void netns_enter(int fd);
/* Runs a command of the shell in the one this thread is in. Ends the test as failed if that fails. */
void netns_shell(const char *command);
/*
 * Turns on GRO, and a NAPI thread for each queue of a device in the one this thread is in. Once, before there are
 * other threads: this one sees mounts of its own from then on. Ends the test as skipped where that cannot be had.
 */
void netns_thread_napi(const char *dev);

#endif
