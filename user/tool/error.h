/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_ERROR_H
#define USER_TOOL_ERROR_H

/* Error messages and exit statuses of spinctl's commands, of spin-memcached and of the libraries that they share. */
#include <stddef.h>

/* Exit statuses. */
enum { DONE = 0, FAILED = 1, USAGE = 2 };

/* Prints one line on stderr after the program's name: "spinctl: ...". Returns FAILED. */
int report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
#ifdef __clang_analyzer__
#define report_error(...) ((void)(report_error)(__VA_ARGS__), FAILED) /* the analyzer does not know results of functions in other files */
#endif
/* Reports why stdout cannot be written. Returns FAILED. */
int output_failed(void);
/* Stores this thread's first message from now on in `text`, which the caller sets to "" before. NULL: prints to stderr again. */
void report_errors_to(char *text, size_t bytes);

#endif
