/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Prints error messages of commands to stderr, or stores them if the thread has called report_errors_to(). Called by all commands. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/lib/printable.h"
#include "user/tool/error.h"

/* This thread's buffer for messages; NULL: stderr. */
static __thread char *buffer;
static __thread size_t buffer_bytes;

void report_errors_to(char *text, size_t bytes)
{
	buffer = text;
	buffer_bytes = bytes;
}

/* Messages quote names from files that others made: control characters become \xNN. */
static void print_safely(const char *text)
{
	while (*text) {
		unsigned control_bytes = terminal_control_bytes(text);

		if (!control_bytes)
			fputc(*text++, stderr);
		while (control_bytes--)
			fprintf(stderr, "\\x%02x", (unsigned char)*text++);
	}
	fputc('\n', stderr);
}

int(report_error)(const char *format, ...)
{
	va_list args;
	char *text;

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
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	print_safely(text ? text : format);
	free(text);
	return FAILED;
}

int output_failed(void)
{
	const char *reason = write(STDOUT_FILENO, "\n", 1) < 0 ? strerror(errno) : NULL;

	return report_error("cannot write the output%s%s", reason ? ": " : "", reason ? reason : "");
}
