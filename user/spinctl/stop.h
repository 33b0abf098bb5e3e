/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCTL_STOP_H
#define SPINCTL_STOP_H

#include <sys/types.h>

/*
 * Signals that ask a command to stop: SIGINT, SIGTERM, SIGHUP. It looks, cleans up, and ends. A load that is under way
 * then fails at once.
 */
void stop__watch(void);
int stop__signal(void); /* the one that came, or 0 */
/* A child with a process group of its own, to be stopped, too; 0: none any more. */
void stop__child(pid_t pid);
/* After cleaning up: ends as the signal would have ended the process. Returns if there was none. */
void stop__end(void);

#endif
