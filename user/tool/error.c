/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Prints error messages of commands to stderr, or stores them if the thread has called report_errors_to(). Called by all commands. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "user/tool/error.h"

/* This thread's buffer for messages; NULL: stderr. */
static __thread char *buffer;
static __thread size_t buffer_bytes;

void report_errors_to(char *text, size_t bytes)
{
	buffer = text;
	buffer_bytes = bytes;
}

int(report_error)(const char *format, ...)
{
	va_list args;

	if (buffer) {
		if (*buffer)
			return FAILED;
		va_start(args, format);
		vsnprintf(buffer, buffer_bytes, format, args);
		va_end(args);
		return FAILED;
	}
	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return FAILED;
}

int output_failed(void)
{
	const char *reason = write(STDOUT_FILENO, "\n", 1) < 0 ? strerror(errno) : NULL;

	return report_error("cannot write the output%s%s", reason ? ": " : "", reason ? reason : "");
}
