/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Results of benchmarks: rows with a value, a unit, a baseline and a goal. Prints them as a table, and writes JSON (measure.h). Called by
 * whatever measures: tests/bench, the demo, `make accuracy`, `make figures`. A figure that is absent is NAN, and missing from the JSON.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "user/lib/json.h"
#include "tests/common/measure/measure.h"

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

void measure_begin(struct measure *m, const char *target)
{
	memset(m, 0, sizeof(*m));
	m->target = target;
}

struct measure_row *measure_add(struct measure *m, const char *name, double value, const char *unit)
{
	struct measure_row *row;

	if (m->rows == MEASURE_ROWS_MAX) {
		fprintf(stderr, "more than %d rows in one measurement\n", MEASURE_ROWS_MAX);
		abort();
	}
	row = &m->row[m->rows++];
	snprintf(row->name, sizeof(row->name), "%s", name);
	snprintf(row->unit, sizeof(row->unit), "%s", unit);
	row->value = value;
	row->baseline = row->ratio = row->error = row->target = NAN;
	row->ok = -1;
	return row;
}

void measure_baseline(struct measure_row *row, double baseline)
{
	row->baseline = baseline;
	row->ratio = row->value / baseline;
}

void measure_goal(struct measure_row *row, enum measure_goal goal, double target, double figure)
{
	row->target = target;
	if (goal == MEASURE_AT_LEAST)
		row->ok = figure >= target;
	else if (goal == MEASURE_AT_MOST)
		row->ok = figure <= target;
}

static void cell(double v)
{
	if (isnan(v))
		printf(" %12s", "-");
	else
		printf(" %12.5g", v);
}

void measure_print(const struct measure *m)
{
	printf("%-40s %12s %-14s %12s %12s %12s %s\n", "figure", "value", "unit", "baseline", "ratio", "target", "ok");
	for (size_t i = 0; i < m->rows; i++) {
		const struct measure_row *row = &m->row[i];

		printf("%-40s", row->name);
		cell(row->value);
		printf(" %-14s", row->unit);
		cell(row->baseline);
		cell(row->ratio);
		cell(row->target);
		printf(" %s\n", row->ok < 0 ? "" : row->ok ? "yes" : "NO");
	}
}

/* Copies the first line of a command's output, or "unknown" if there is none. */
static void first_line(const char *command, char *out, size_t bytes)
{
	FILE *from = popen(command, "r");

	if (!from || !fgets(out, (int)bytes, from))
		snprintf(out, bytes, "unknown");
	if (from)
		pclose(from);
	out[strcspn(out, "\n")] = '\0';
}

static void optional(struct json *j, const char *key, double v)
{
	if (!isnan(v))
		json_double(j, key, v);
}

int measure_write(const struct measure *m, const char *path)
{
	char temporary[512], commit[96], cpu[160];
	struct utsname kernel;
	struct json j;
	FILE *to;
	int err = 0;

	snprintf(temporary, sizeof(temporary), "%s.new", path);
	to = fopen(temporary, "w");
	if (!to)
		return -errno;
	first_line("git -c safe.directory='*' describe --always --abbrev=40 --dirty 2>/dev/null", commit, sizeof(commit));
	first_line("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo", cpu, sizeof(cpu));
	uname(&kernel);

	json_begin(&j, to, 1);
	json_object(&j, NULL);
	json_string(&j, "target", m->target);
	json_array(&j, "rows");
	for (size_t i = 0; i < m->rows; i++) {
		const struct measure_row *row = &m->row[i];

		json_object(&j, NULL);
		json_string(&j, "name", row->name);
		json_double(&j, "value", row->value);
		json_string(&j, "unit", row->unit);
		optional(&j, "baseline", row->baseline);
		optional(&j, "ratio", row->ratio);
		optional(&j, "error", row->error);
		optional(&j, "target", row->target);
		if (row->ok >= 0)
			json_bool(&j, "ok", row->ok);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_string(&j, "commit", commit);
	json_string(&j, "kernel", kernel.release);
	json_string(&j, "cpu", cpu);
	json_string(&j, "compiler", COMPILER);
	json_object_end(&j);
	json_end(&j);

	if (ferror(to))
		err = -EIO;
	if (fclose(to) && !err)
		err = -errno;
	if (!err && rename(temporary, path))
		err = -errno;
	if (err)
		remove(temporary);
	return err;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double measure_median(double *values, size_t n)
{
	if (!n)
		return NAN;
	qsort(values, n, sizeof(*values), by_value);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
