/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_NOTIFY_H
#define USER_TOOL_NOTIFY_H

/* For commands that attach and then watch: report to others that they are ready, and end on a signal. */
#include <sys/types.h>

#define WATCH_LOOK_S 0.2 /* how often the interface is looked at */
#define READY_NO_FD  (~0u)

/* Removes the file of an earlier run, before anything is attached. DONE, or FAILED after a message. */
int ready__begin(const char *path);
/* Writes "ready" to the descriptor and closes it, and to the file; READY_NO_FD, NULL: none. DONE, or FAILED after a message. */
int ready__notify(unsigned fd, const char *path);

/* Of the monotonic clock. */
double now_s(void);

/*
 * Signals that ask a command to stop: SIGINT, SIGTERM, SIGHUP. It looks, cleans up, and ends. A load that is under way
 * then fails at once.
 */
void signals__watch(void);
int signals__signal(void); /* the one that came, or 0 */
/* A child with a process group of its own, to be stopped, too; 0: none any more. */
void signals__child(pid_t pid);
/* After cleaning up: ends as the signal would have ended the process. Returns if there was none. */
void signals__end(void);

#endif
