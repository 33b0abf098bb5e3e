/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * merge OUT FILE...: merges the rows of all benchmarks into one JSON file. Run by bench.sh at the end of `make bench`. A FILE was either
 * written by measure_write(), or has rows, one JSON object per line.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/measure/measure.h"

/* Returns the number of "key": in a flat object; NAN if it has none. */
static double number(const char *row, const char *end, const char *key)
{
	char quoted[64];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	at = strstr(row, quoted);
	if (!at || at >= end)
		return NAN;
	at += strlen(quoted);
	at += strspn(at, " ");
	if (!strncmp(at, "true", 4))
		return 1;
	if (!strncmp(at, "false", 5))
		return 0;
	return strchr("-0123456789", *at) && *at ? strtod(at, NULL) : NAN;
}

static void text(const char *row, const char *end, const char *key, char *to, size_t bytes)
{
	char quoted[64];
	const char *at;
	size_t n;

	to[0] = '\0';
	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	at = strstr(row, quoted);
	if (!at || at >= end)
		return;
	at += strlen(quoted);
	at += strspn(at, " \"");
	n = strcspn(at, "\"");
	snprintf(to, bytes, "%.*s", (int)n, at);
}

static void add_rows(struct measure *m, const char *content)
{
	const char *at = content;

	while ((at = strstr(at, "\"name\":"))) {
		const char *end = strchr(at, '}');
		struct measure_row *row;
		char name[64], unit[24];
		double ok;

		if (!end)
			return;
		text(at, end, "name", name, sizeof(name));
		text(at, end, "unit", unit, sizeof(unit));
		row = measure_add(m, name, number(at, end, "value"), unit);
		row->baseline = number(at, end, "baseline");
		row->ratio = number(at, end, "ratio");
		row->error = number(at, end, "error");
		row->target = number(at, end, "target");
		ok = number(at, end, "ok");
		row->ok = isnan(ok) ? -1 : (int)ok;
		at = end;
	}
}

static int add_file(struct measure *m, const char *path)
{
	static char content[1 << 20];
	FILE *file = fopen(path, "re");
	size_t bytes;

	if (!file) {
		perror(path);
		return 1;
	}
	bytes = fread(content, 1, sizeof(content) - 1, file);
	content[bytes] = '\0';
	fclose(file);
	add_rows(m, content);
	return 0;
}

int main(int argc, char **argv)
{
	static struct measure m;
	int failed = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: merge OUT FILE...\n");
		return 2;
	}
	measure_begin(&m, "bench");
	for (int i = 2; i < argc; i++)
		failed |= add_file(&m, argv[i]);
	measure_print(&m);
	if (!measure_write(&m, argv[1]))
		return failed;
	perror(argv[1]);
	return 1;
}
