/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEASURE_MEASURE_H
#define TESTS_COMMON_MEASURE_MEASURE_H

/*
 * Collects the figures of a benchmark, the demo, `make accuracy` or `make figures`, and writes build/<target>.json: "rows", and commit,
 * kernel, cpu and compiler.
 */
#include <stddef.h>

#define MEASURE_ROWS_MAX 1024

enum measure_goal {
	MEASURE_NO_GOAL,
	MEASURE_AT_LEAST, /* ok if the judged figure is at least the target */
	MEASURE_AT_MOST,
};

/* Absent figures are NAN. */
struct measure_row {
	char name[64];
	double value;
	char unit[24];
	double baseline; /* same unit as value */
	double ratio;    /* value over baseline unless set otherwise */
	double error;    /* relative */
	double target;
	int ok; /* 1: met, 0: missed, -1: no target */
};

struct measure {
	const char *target;
	struct measure_row row[MEASURE_ROWS_MAX];
	size_t rows;
};

void measure_begin(struct measure *m, const char *target);

/* Adds a row with only a value; the functions below fill in more. More than MEASURE_ROWS_MAX rows abort. */
struct measure_row *measure_add(struct measure *m, const char *name, double value, const char *unit);
/* Sets baseline and ratio = value / baseline. */
void measure_baseline(struct measure_row *row, double baseline);
/* Sets target and ok by comparing `figure`: the row's value, ratio or error. */
void measure_goal(struct measure_row *row, enum measure_goal goal, double target, double figure);

/* Prints all rows as a table. */
void measure_print(const struct measure *m);
/* Writes the complete file or nothing. Returns 0 or -errno. */
int measure_write(const struct measure *m, const char *path);

/* Sorts the values. Returns the mean of the two middle ones if n is even, and NAN for n = 0. */
double measure_median(double *values, size_t n);

#endif
