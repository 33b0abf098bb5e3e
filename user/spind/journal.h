/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_JOURNAL_H
#define USER_SPIND_JOURNAL_H

/*
 * spind's log lines: "spind: TEXT", warnings and errors on standard error, the rest on standard output. A stream that is connected to the
 * journal of systemd(1) gets the priority in front of each line, as sd-daemon(3) describes. Called by all threads of all of spind's
 * processes. Each line is written at once, and control characters of the text become '?': parts of it come from clients.
 */
#include <stdint.h>

/* Priorities as in syslog(3). */
enum journal_priority { JOURNAL_ERROR = 3, JOURNAL_WARNING, JOURNAL_NOTICE, JOURNAL_INFO };

/*
 * Lines that a user may cause in JOURNAL_WINDOW_SECONDS in one process of spind, and all users together. What is beyond that is counted,
 * and the count is logged afterwards. Root has no limit.
 */
#define JOURNAL_WINDOW_SECONDS 10
#define JOURNAL_USER_LINES     20
#define JOURNAL_ALL_LINES      200

/* Looks which streams are the journal's, and forgets all counts. Called first in each process, before it has threads. */
void journal__open(void);

void journal__say(enum journal_priority priority, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line "user U, process P: TEXT" of what a client has done, within the limit. */
void journal__say_of(uint32_t uid, uint32_t pid, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for a request that spind refuses. op: of enum broker_op, or 0 if it is not known. */
void journal__refused(uint32_t uid, uint32_t pid, uint32_t op, const char *reason);

#endif
