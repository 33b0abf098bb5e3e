/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCTL_READY_H
#define SPINCTL_READY_H

/* What commands share that attach and then watch: telling others that they are there, and the time since. */

#define WATCH_LOOK_S 0.2 /* how often the interface is looked at */
#define READY_NO_FD  (~0u)

/* Removes the file of an earlier run, before anything is attached. DONE, or FAILED after a message. */
int ready__begin(const char *path);
/* Writes "ready" to the descriptor and closes it, and to the file; READY_NO_FD, NULL: none. DONE, or FAILED after a message. */
int ready__tell(unsigned fd, const char *path);

/* Of the monotonic clock. */
double now_s(void);

#endif
