/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes JSON directly to a stream, without a tree in memory. Called by all commands with --json. The caller must close each object
 * and array that it opens.
 */
#include <inttypes.h>
#include <math.h>

#include "user/lib/json.h"
#include "user/lib/printable.h"
#include "user/lib/utf8.h"

static void write_string(FILE *to, const char *s)
{
	putc('"', to);
	for (unsigned length; *s; s += length ? length : 1) {
		unsigned char c = (unsigned char)*s;

		length = utf8__length(s);
		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", to);
		else if (c == '\t')
			fputs("\\t", to);
		else if (terminal_control_bytes(s))
			fprintf(to, "\\u%04x", length == 2 ? (unsigned char)s[1] : c);
		else if (length)
			fwrite(s, 1, length, to);
		else
			fputs(UTF8_REPLACEMENT, to);
	}
	putc('"', to);
}

static void newline(struct json *j)
{
	if (!j->pretty)
		return;
	putc('\n', j->to);
	for (unsigned i = 0; i < j->depth; i++)
		putc('\t', j->to);
}

/* Writes what precedes a value: comma, newline and key. */
static void begin_value(struct json *j, const char *key)
{
	if (j->members >> j->depth & 1)
		fputs(j->pretty ? "," : ", ", j->to);
	j->members |= 1u << j->depth;
	if (j->depth)
		newline(j);
	if (key) {
		write_string(j->to, key);
		fputs(": ", j->to);
	}
}

static void open_level(struct json *j, const char *key, char bracket)
{
	begin_value(j, key);
	putc(bracket, j->to);
	j->depth++;
	j->members &= ~(1u << j->depth);
}

static void close_level(struct json *j, char bracket)
{
	int empty = !(j->members >> j->depth & 1);

	j->depth--;
	if (!empty)
		newline(j);
	putc(bracket, j->to);
}

void json_begin(struct json *j, FILE *to, int pretty)
{
	*j = (struct json){ .to = to, .pretty = pretty };
}

void json_end(struct json *j)
{
	putc('\n', j->to);
}

void json_object(struct json *j, const char *key)
{
	open_level(j, key, '{');
}
void json_object_end(struct json *j)
{
	close_level(j, '}');
}
void json_array(struct json *j, const char *key)
{
	open_level(j, key, '[');
}
void json_array_end(struct json *j)
{
	close_level(j, ']');
}

void json_string(struct json *j, const char *key, const char *value)
{
	begin_value(j, key);
	if (value)
		write_string(j->to, value);
	else
		fputs("null", j->to);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
	begin_value(j, key);
	fprintf(j->to, "%" PRIu64, value);
}

void json_int(struct json *j, const char *key, int64_t value)
{
	begin_value(j, key);
	fprintf(j->to, "%" PRId64, value);
}

void json_double(struct json *j, const char *key, double value)
{
	begin_value(j, key);
	if (isfinite(value))
		fprintf(j->to, "%.9g", value);
	else
		fputs("null", j->to);
}

void json_bool(struct json *j, const char *key, int value)
{
	begin_value(j, key);
	fputs(value ? "true" : "false", j->to);
}
