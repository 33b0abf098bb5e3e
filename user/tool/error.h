/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_ERROR_H
#define USER_TOOL_ERROR_H

/* Messages about errors, of the commands of spinctl, of spin-memcached and of the libraries that they share, and exit statuses. */
#include <stddef.h>

/* Exit statuses. */
enum { DONE = 0, FAILED = 1, USAGE = 2 };

/* One line on stderr, behind the program's name, as "spinctl: ..."; returns FAILED. */
int report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
#ifdef __clang_analyzer__
#define report_error(...) ((void)(report_error)(__VA_ARGS__), FAILED) /* it sees no function's result in another file */
#endif
/* FAILED, after the reason why stdout cannot be written. */
int output_failed(void);
/* This thread's messages from now on go there, the first one stays (text is "" before); NULL: to stderr, as at first. */
void report_errors_to(char *text, size_t bytes);

#endif
