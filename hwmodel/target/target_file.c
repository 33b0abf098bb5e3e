/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads target files, which describe a NIC to be modelled: lines of `name = value`, the first may be `base = target`, and # starts a
 * comment. Called by the tools. An error names file and line.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwmodel/target/parameters.h"

struct reader {
	const char *path;
	unsigned line;
	struct pspin_target *target;
	unsigned set_at[TARGET_PARAMETERS]; /* line; 0: not yet */
	unsigned lines_with_values;
	char *err;
	size_t err_bytes;
};

static int refuse(struct reader *r, const char *format, ...)
{
	va_list args;
	int at = snprintf(r->err, r->err_bytes, "%s:%u: ", r->path, r->line);

	va_start(args, format);
	if (at >= 0 && (size_t)at < r->err_bytes)
		vsnprintf(r->err + at, r->err_bytes - (size_t)at, format, args);
	va_end(args);
	return -EINVAL;
}

/* Reports an invalid value: says which values its parameter takes. */
static int refuse_value(struct reader *r, int parameter, const char *text)
{
	struct pspin_parameter row;
	char names[128] = "";

	pspin_target__parameter((unsigned)parameter, &row);
	if (!row.names)
		return refuse(r, "'%s' is not a number: %s takes decimal digits", text, row.name);
	for (unsigned i = 0; row.names[i]; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? " or " : "", row.names[i]);
	return refuse(r, "%s is %s, not '%s'", row.name, names, text);
}

static int set_base(struct reader *r, const char *name)
{
	const struct pspin_target *base = pspin_target__find(name);
	char list[256];

	if (r->lines_with_values)
		return refuse(r, "base comes before everything else");
	if (!base)
		return refuse(r, "no target '%s' is built in; there are %s", name, target__list(list, sizeof(list)));
	*r->target = *base;
	return 0;
}

static int set_parameter(struct reader *r, const char *name, const char *text)
{
	int i = target__find_parameter(name);
	char reason[256];
	uint64_t value;

	if (i < 0)
		return refuse(r, "no parameter '%s'; the nearest is %s", name, target__nearest(name));
	if (r->set_at[i])
		return refuse(r, "%s is set already, in line %u", name, r->set_at[i]);
	if (pspin_target__value(name, text, &value))
		return refuse_value(r, i, text);
	if (target__set(r->target, i, value, "the target file", reason, sizeof(reason)))
		return refuse(r, "%s", reason);
	r->set_at[i] = r->line;
	return 0;
}

static char *trim(char *text)
{
	size_t length;

	while (isspace((unsigned char)*text))
		text++;
	length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = 0;
	return text;
}

static int read_line(struct reader *r, char *line)
{
	char *equals, *name;
	int err;

	line[strcspn(line, "#")] = 0;
	line = trim(line);
	if (!*line)
		return 0;
	equals = strchr(line, '=');
	if (!equals)
		return refuse(r, "'%s' is no 'name = value'", line);
	*equals = 0;
	name = trim(line);
	err = !strcmp(name, "base") ? set_base(r, trim(equals + 1)) : set_parameter(r, name, trim(equals + 1));
	r->lines_with_values++;
	return err;
}

static int read_lines(struct reader *r, FILE *file)
{
	char line[512];
	int err = 0;

	while (!err && fgets(line, sizeof(line), file)) {
		r->line++;
		if (!strchr(line, '\n') && !feof(file))
			err = refuse(r, "the line is longer than %zu bytes, or has a zero byte", sizeof(line) - 2);
		else
			err = read_line(r, line);
	}
	if (!err && ferror(file)) {
		snprintf(r->err, r->err_bytes, "%s: %s", r->path, strerror(errno));
		err = -EINVAL;
	}
	return err;
}

/* Names the target after the file, without directory and suffix. */
static void name_after(struct pspin_target *target, const char *path)
{
	const char *base = strrchr(path, '/');
	size_t length;

	base = base ? base + 1 : path;
	length = strlen(base);
	if (length > 7 && !strcmp(base + length - 7, ".target"))
		length -= 7;
	snprintf(target->name, sizeof(target->name), "%.*s", (int)length, base);
}

static int read_file(const char *path, struct pspin_target *target, char *err, size_t err_bytes)
{
	struct reader r = { .path = path, .target = target, .err = err, .err_bytes = err_bytes };
	FILE *file = fopen(path, "r");
	char reason[256];
	int status;

	if (!file) {
		snprintf(err, err_bytes, "%s: %s", path, strerror(errno));
		return -ENOENT;
	}
	status = read_lines(&r, file);
	fclose(file);
	name_after(target, path);
	if (!status && pspin_target__check(target, reason, sizeof(reason))) {
		snprintf(err, err_bytes, "%s: %s", path, reason);
		status = -EINVAL;
	}
	return status;
}

int pspin_target__read(const char *name_or_path, struct pspin_target **out, char *err, size_t err_bytes)
{
	const struct pspin_target *base = pspin_target__find(name_or_path);
	char list[256];
	int status = 0;

	*out = NULL;
	if (!base && !strpbrk(name_or_path, "/.")) {
		snprintf(err, err_bytes,
			 "no target '%s' is built in; there are %s, and a file's path has a / or a "
			 ". in it",
			 name_or_path, target__list(list, sizeof(list)));
		return -ENOENT;
	}
	*out = pspin_target__copy(base ? base : pspin_target__find("pspin-rtl"));
	if (!*out) {
		snprintf(err, err_bytes, "no memory");
		return -ENOMEM;
	}
	if (!base)
		status = read_file(name_or_path, *out, err, err_bytes);
	if (status) {
		pspin_target__free(*out);
		*out = NULL;
	}
	return status;
}
