/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reading the verifier's log. It has "; text @ file.c:12" before the instructions
 * of that line, "12: (61) r1 = ..." for each instruction, "from 7 to 12: ..." where
 * it goes back to a branch, and ends with the complaint and lines of statistics.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/verifier.h"

/* How far back a loop's own line is looked for. */
#define LOOP_LINES_MAX 4096

/* The start of the line that ends at `end`. */
static const char *line_before(const char *log, const char *end)
{
	while (end > log && end[-1] != '\n')
		end--;
	return end;
}

static const char *step_back(const char *log, const char *line)
{
	return line > log ? line - 1 : NULL;
}

/* "12: (61) ..." */
static long instruction_of(const char *line)
{
	char *after;
	long n;

	if (!isdigit((unsigned char)*line))
		return -1;
	n = strtol(line, &after, 10);
	return !strncmp(after, ": (", 3) ? n : -1;
}

static int has(const char *line, size_t length, const char *text)
{
	const char *hit = strstr(line, text);

	return hit && hit < line + length;
}

static int is_noise(const char *line, size_t length)
{
	static const char *const noise[] = { "processed ", "verification time", "stack depth", "max_states", "libbpf: ", "-- ",
					     "cur state:", "old state:",        "from ",       ";",          "0: R1=ctx" };

	/* these may end the line of the instruction that was one too many */
	if (has(line, length, "BPF program is too large") || has(line, length, "jumps is too complex"))
		return 0;
	/* what precedes says which access */
	if (!length || has(line, length, " offset is outside of the packet") || instruction_of(line) >= 0)
		return 1;
	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++)
		if (!strncmp(line, noise[i], strlen(noise[i])))
			return 1;
	return 0;
}

/* The complaint is the last line that says something. */
static int find_complaint(const char *log, struct verifier_refusal *out)
{
	const char *end = log + strlen(log);

	while (end) {
		const char *line = line_before(log, end);
		size_t length = (size_t)(end - line);

		if (!is_noise(line, length)) {
			snprintf(out->complaint, sizeof(out->complaint), "%.*s", (int)length, line);
			return 1;
		}
		end = step_back(log, line);
	}
	return 0;
}

/* "; text @ file.c:12": the file's name, without its folder. 0: the line has none. */
static int source_line(const char *line, const char *end, char *file, size_t bytes, unsigned *number)
{
	const char *at = NULL, *colon;

	if (*line != ';')
		return 0;
	for (const char *p = line; p + 3 < end; p++)
		if (!strncmp(p, " @ ", 3))
			at = p + 3;
	if (!at || !(colon = memchr(at, ':', (size_t)(end - at))) || atoi(colon + 1) <= 0)
		return 0;
	snprintf(file, bytes, "%.*s", (int)(colon - at), at);
	*number = (unsigned)atoi(colon + 1);
	return 1;
}

/* Of the handler: a header may be the runtime's, and *.bpf.c is. */
static int handler_line(const char *line, const char *end, struct verifier_refusal *out)
{
	char file[sizeof(out->file)];
	unsigned number;
	size_t length;

	if (!source_line(line, end, file, sizeof(file), &number))
		return 0;
	if (!out->at_line) {
		memcpy(out->at_file, file, sizeof(file));
		out->at_line = number;
	}
	length = strlen(file);
	if (length < 3 || strcmp(file + length - 2, ".c") || (length > 6 && !strcmp(file + length - 6, ".bpf.c")))
		return 0;
	memcpy(out->file, file, sizeof(file));
	out->line = number;
	return 1;
}

static int is_loop(const char *line, const char *end)
{
	static const char *const words[] = { "for (", "for(", "while (", "while(", "SPIN_FOR_EACH", "do {", "goto " };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (has(line, (size_t)(end - line), words[i]))
			return 1;
	return 0;
}

/*
 * Backwards along the way that the verifier went: what it tried in between, on
 * other ways from the same branch, is left out.
 */
static void find_line(const char *log, int want_loop, struct verifier_refusal *out)
{
	const char *end = log + strlen(log);
	struct verifier_refusal last = { .line = 0 };
	long branch = -1;
	unsigned lines = 0, sources = 0;

	while (end) {
		const char *line = line_before(log, end);
		long at = instruction_of(line);

		sources += branch < 0 && *line == ';';
		if (branch >= 0 && at == branch)
			branch = -1;
		if (branch < 0 && at >= 0 && out->instruction < 0)
			out->instruction = at;
		if (branch < 0 && !strncmp(line, "from ", 5))
			branch = atol(line + 5);
		else if (branch < 0 && handler_line(line, end, out)) {
			out->own = sources == 1;
			if (!want_loop || is_loop(line, end))
				return;
			if (!last.line)
				last = *out;
		}
		if (want_loop && ++lines > LOOP_LINES_MAX)
			break;
		end = step_back(log, line);
	}
	memcpy(out->file, last.file, sizeof(out->file));
	out->line = last.line;
}

int verifier__read(const char *log, struct verifier_refusal *out)
{
	*out = (struct verifier_refusal){ .instruction = -1 };
	if (!find_complaint(log, out))
		return 0;
	for (const struct verifier_rule *rule = verifier_rules; rule->complaint && !out->rule; rule++)
		if (strstr(out->complaint, rule->complaint))
			out->rule = rule;
	find_line(log, out->rule && out->rule->flags & VERIFIER_LOOP, out);
	return 1;
}
