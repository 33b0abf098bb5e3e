/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * From the verifier's log to one sentence. The log names source lines as
 * "; text @ file.c:12" before the instructions that belong to them, and ends
 * with the complaint and a line of statistics.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static const struct {
	const char *complaint, *hint;
} hints[] = {
	{ "invalid access to packet", "read packets through SPIN_GET or SPIN_FOR_EACH" },
	{ "invalid access to map value", "reach tables through SPIN_AT or SPIN_FIND" },
	{ "unbounded memory access", "reach tables through SPIN_AT or SPIN_FIND" },
	{ "invalid mem access 'mem_or_null'", "compare the pointer with NULL first" },
	{ "_or_null'", "compare the pointer with NULL first" },
	{ "invalid mem access 'scalar'", "a pointer may be NULL here: test what SPIN_GET, SPIN_AT or "
					 "SPIN_FIND gave before using it" },
	{ "back-edge", "give the loop a constant bound" },
	{ "infinite loop", "give the loop a constant bound" },
	{ "too large", "give the loop a smaller constant bound" },
	{ "too many states", "give the loop a smaller constant bound" },
	{ "stack", "keep large variables in the state, not on the stack (512 bytes)" },
	{ "read-only", "read-only table fields and constants cannot be written" },
};

/* The last line before `end`; returns its start. */
static const char *line_before(const char *log, const char *end)
{
	while (end > log && end[-1] != '\n')
		end--;
	return end;
}

static int is_noise(const char *line, size_t length)
{
	static const char *const noise[] = { "processed ", "verification time", "stack depth", "max_states",
					     "BPF program", "-- " };
	const char *offset = strstr(line, " offset is outside of the packet"); /* what precedes says which access */


	if (!length || (offset && offset < line + length))
		return 1;
	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++)
		if (!strncmp(line, noise[i], strlen(noise[i])))
			return 1;
	return 0;
}

/* The complaint: the last line that says something. */
static void find_complaint(const char *log, char *out, size_t bytes)
{
	const char *end = log + strlen(log);

	snprintf(out, bytes, "no reason given");
	while (end > log) {
		const char *line = line_before(log, end);
		size_t length = (size_t)(end - line);

		if (!is_noise(line, length)) {
			snprintf(out, bytes, "%.*s", (int)length, line);
			return;
		}
		end = line > log ? line - 1 : log;
	}
}

/* The last "; text @ file.c:line" that is the handler's: not the runtime's file, not a header. */
static int find_line(const char *log, char *file, size_t bytes, unsigned *line_number)
{
	const char *end = log + strlen(log);

	while (end > log) {
		const char *line = line_before(log, end), *at = NULL;

		if (line[0] == ';')
			for (const char *p = line; p + 3 < end; p++)
				if (!strncmp(p, " @ ", 3))
					at = p + 3;
		if (at) {
			const char *colon = at;
			size_t length;

			while (colon < end && *colon != ':')
				colon++;
			length = (size_t)(colon - at);
			if (colon < end && length > 2 && !strncmp(colon - 2, ".c", 2) &&
			    strncmp(at, "context.bpf.c", length)) {
				snprintf(file, bytes, "%.*s", (int)length, at);
				*line_number = (unsigned)atoi(colon + 1);
				return 1;
			}
		}
		end = line > log ? line - 1 : log;
	}
	return 0;
}

int spin_verifier__explain(const char *log, const char *handler, char *why, size_t why_bytes)
{
	char complaint[256], file[128];
	const char *hint = NULL;
	unsigned line = 0;

	if (!log[0])
		return 0;
	find_complaint(log, complaint, sizeof(complaint));
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]) && !hint; i++)
		if (strstr(complaint, hints[i].complaint))
			hint = hints[i].hint;
	if (find_line(log, file, sizeof(file), &line))
		snprintf(why, why_bytes, "%s:%u: the verifier refuses: %s%s%s", file, line, complaint,
			 hint ? "; " : "", hint ? hint : "");
	else
		snprintf(why, why_bytes, "%s: the verifier refuses: %s%s%s", handler, complaint,
			 hint ? "; " : "", hint ? hint : "");
	return 1;
}
