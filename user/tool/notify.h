/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_NOTIFY_H
#define USER_TOOL_NOTIFY_H

/*
 * For commands that run until a signal (spinctl run, record, recv, send, test and others, spin-memcached): end cleanly on a signal, and, if
 * they attach handlers, report to other processes when these are attached.
 */
#include <sys/types.h>

#define WATCH_LOOK_S 0.2 /* seconds between checks of the interface */
#define READY_NO_FD  (~0u)

/* Removes the file of an earlier run. Must be called before anything is attached. Returns DONE, or FAILED after a message. */
int ready__begin(const char *path);
/* Writes "ready" to the descriptor (READY_NO_FD: none), closes it, and writes the file (NULL: none). DONE, or FAILED after a message. */
int ready__notify(unsigned fd, const char *path);

/* Returns the seconds of the monotonic clock. */
double now_s(void);

/*
 * Signals that stop a command: SIGINT, SIGTERM, SIGHUP. The command polls signals__signal(), cleans up and ends. A program load in
 * progress fails at once.
 */
void signals__watch(void);
int signals__signal(void); /* the last signal received, or 0 */
/* Sets a child, with its own process group, that a signal also terminates; 0: none. */
void signals__child(pid_t pid);
/* Ends the process by the signal that was received. Called after cleaning up; returns if there was none. */
void signals__end(void);

#endif
