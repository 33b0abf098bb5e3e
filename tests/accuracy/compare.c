/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares a row measured on PsPIN's RTL with the model's value: numbers, ranges and orders of clusters. Called by accuracy.c. A row is
 * exact if both agree to the digits of the measurement.
 */
#include "tests/accuracy/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns half a unit of the last digit of a number with a decimal point; 0 for a whole number, which is a count of cycles. */
static double half_digit(const char *number, const char *end)
{
	const char *point = memchr(number, '.', (size_t)(end - number));

	return point ? 0.5 * pow(10, -(double)(end - point - 1)) + 1e-9 : 1e-9;
}

static int is_order(const struct row *row)
{
	return !strcmp(row->unit, "cluster") || !strcmp(row->unit, "message");
}

/* Compares the number or range at `at`. Returns the position of the next one. */
static const char *compare_one(const struct row *row, const char *at, double model, double *error)
{
	char *end;
	double low = strtod(at, &end), high = low, off;
	double slack = fmax(half_digit(at, end), row->grain);

	if (*end == '-') {
		const char *second = end + 1;

		high = strtod(second, &end);
		slack = fmax(half_digit(second, end), row->grain);
	}
	off = model < low ? low - model : model > high ? model - high : 0;
	if (!(off <= slack)) /* also for NAN */
		*error = low == 0 ? 1 : fmax(*error, off / low);
	return end + strspn(end, " ");
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned n = a < b ? a : b;

	return n < c ? n : c;
}

static double compare_order(const char *at, const struct values *model)
{
	unsigned row[VALUES_MAX + 1], n = 0; /* of the edit distance between the values measured so far and the model's first k */
	char *end;

	for (unsigned k = 0; k <= model->count; k++)
		row[k] = k;
	for (; *at; at = end + strspn(end, " ")) {
		double measured = strtod(at, &end);
		unsigned before = row[0];

		row[0] = ++n;
		for (unsigned k = 1; k <= model->count; k++) {
			unsigned change = before + (model->v[k - 1] != measured);

			before = row[k];
			row[k] = least(change, row[k] + 1, row[k - 1] + 1);
		}
	}
	return (double)row[model->count] / n;
}

void compare(const struct row *row, const struct values *model, double *error, int *exact)
{
	const char *at = row->measured;
	unsigned i = 0;

	*error = 0;
	if (model && is_order(row)) {
		*error = compare_order(at, model);
		*exact = *error == 0;
		return;
	}
	while (*at) {
		if (!model || i == model->count) {
			*error = 1;
			break;
		}
		at = compare_one(row, at, model->v[i++], error);
	}
	if (model && i != model->count)
		*error = 1;
	*exact = *error == 0;
}

double measured_first(const struct row *row)
{
	return strtod(row->measured, NULL);
}
